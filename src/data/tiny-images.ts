/** Small pictures of classes that can be told apart: blobs of a class's own, moved by a pixel, with noise. */
import { exp } from '../numeric/special/elementary-functions.js'
import { number, whole } from '../params.js'
import { checkedSource } from './dataset.js'
import { defineDataset } from './dataset-entry.js'
import { checkSize } from './sensible-size.js'
import { numberColumn, tableOf } from './table.js'

const BLOBS = 3

export const tinyImages = defineDataset({
  id: 'tiny-images',
  title: 'Tiny images: three soft blobs a class, moved and blurred by noise',
  origin: 'generator',
  tasks: ['classification'],
  predicts: 'the class of a made-up picture',
  sensitive: [],
  params: {
    records: whole({ default: 600, min: 1, doc: 'number of pictures' }),
    classes: whole({ default: 4, min: 2, max: 100, doc: 'number of classes, drawn with equal probability' }),
    side: whole({ default: 8, min: 2, max: 64, doc: 'height and width in pixels' }),
    channels: whole({ default: 1, min: 1, max: 3, doc: '1 for grey, 3 for colour' }),
    noiseStd: number({ default: 0.1, min: 0, doc: 'deviation of the noise on a brightness from 0 to 1' }),
  },
  load: ({ rng }, { records: n, classes: C, side, channels, noiseStd }) => {
    checkSize('tiny-images', n, channels * side * side)
    const classRng = rng.fork('class')
    const label = Float64Array.from({ length: n }, () => classRng.integer(C))
    // A blob has a place (x, y), a width and, in each channel, a brightness.
    const blobs = Array.from({ length: C * BLOBS }, (_, b) => {
      const own = rng.fork('blob', b)
      const [x, y, width] = own.uniforms(3)
      const spread = (0.08 + 0.12 * width!) * side
      return { x: x! * side, y: y! * side, spreadSq: spread * spread, light: own.uniforms(channels) }
    })
    const size = channels * side * side
    const bytes = new Uint8Array(n * size)
    for (let i = 0; i < n; i++) {
      const own = rng.fork('image', i)
      const dx = own.integer(3) - 1
      const dy = own.integer(3) - 1
      const noise = own.normals(size, { std: noiseStd })
      const mine = blobs.slice(label[i]! * BLOBS, (label[i]! + 1) * BLOBS)
      for (let p = 0; p < size; p++) {
        const x = (p % side) + 0.5 - dx
        const y = (Math.floor(p / side) % side) + 0.5 - dy
        const channel = Math.floor(p / (side * side))
        let light = noise[p]!
        for (const blob of mine) {
          const distanceSq = (x - blob.x) * (x - blob.x) + (y - blob.y) * (y - blob.y)
          light += (0.4 + 0.6 * blob.light[channel]!) * exp(-distanceSq / (2 * blob.spreadSq))
        }
        bytes[i * size + p] = Math.round(255 * Math.min(Math.max(light, 0), 1))
      }
    }
    return checkedSource({
      name: 'tiny-images',
      task: 'classification',
      table: tableOf([numberColumn('class', label)]),
      rules: [],
      pixels: { bytes, shape: [channels, side, side], scale: 'unit' },
      label: { column: 'class', encode: 'codes', levels: Array.from({ length: C }, (_, c) => String(c)) },
      sensitive: [],
    })
  },
})
