import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Picture, pictureUri } from './picture.js'

/** Reads a bitmap back: [row][column] as [red, green, blue]. */
function read(uri: string): number[][][] {
  const [head, body] = uri.split(',')
  expect(head).toBe('data:image/bmp;base64')
  const bytes = Buffer.from(body!, 'base64')
  expect(bytes.toString('latin1', 0, 2)).toBe('BM')
  expect(bytes.readUInt32LE(2)).toBe(bytes.length)
  const [start, width, height] = [bytes.readUInt32LE(10), bytes.readInt32LE(18), -bytes.readInt32LE(22)]
  expect([bytes.readUInt32LE(14), bytes.readUInt16LE(26), bytes.readUInt16LE(28)]).toEqual([40, 1, 24])
  const stride = Math.ceil((3 * width) / 4) * 4
  expect(bytes.length).toBe(start + stride * height)
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => [2, 1, 0].map((c) => bytes[start + y * stride + 3 * x + c]!)),
  )
}

describe('a picture', () => {
  test('grey: the same in all colours, cut at black and white, the top row first', () => {
    const picture: Picture = { shape: [1, 2, 3], values: [0, 0.5, 1, -1, 2, 0.25], range: [0, 1] }
    const grey = (...values: number[]) => values.map((v) => [v, v, v])
    expect(read(pictureUri(picture))).toEqual([grey(0, 128, 255), grey(0, 255, 64)])
  })

  test('colour: channel by channel', () => {
    const picture: Picture = { shape: [3, 1, 2], values: [255, 0, 1, 2, 3, 4], range: [0, 255] }
    expect(read(pictureUri(picture))).toEqual([
      [
        [255, 1, 3],
        [0, 2, 4],
      ],
    ])
  })

  test('values that are missing are 0, which need not be black', () => {
    expect(read(pictureUri({ shape: [1, 1, 2], values: [1], range: [-1, 1] }))).toEqual([[[255, 255, 255], [128, 128, 128]]]) // biome-ignore format: a line
  })

  test('of any size is a bitmap; one brightness alone is black', () => {
    const sizes = fc.tuple(fc.constantFrom(1, 3), fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }))
    fc.assert(
      fc.property(sizes, (shape) => {
        const values = new Float64Array(shape[0] * shape[1] * shape[2]).fill(7)
        const back = read(pictureUri({ shape, values, range: [7, 7] }))
        expect(back.flat(2).every((v) => v === 0)).toBe(true)
        expect([back.length, back[0]!.length]).toEqual(shape.slice(1))
      }),
    )
  })
})
