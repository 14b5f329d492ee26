import { afterEach, describe, expect, test, vi } from 'vitest'
import { bytesPer, createEngine } from './engine.js'

afterEach(() => {
  vi.restoreAllMocks()
})

describe('the memory of an engine', () => {
  test('grows by half as much again, so that many small buffers make it grow a few times', () => {
    const engine = createEngine()
    const grow = vi.spyOn(WebAssembly.Memory.prototype, 'grow')
    const buffers = Array.from({ length: 2000 }, () => engine.allocate(10_000))
    expect(new Set(buffers.map(({ address }) => address)).size).toBe(2000)
    expect(grow.mock.calls.length).toBeGreaterThan(0)
    expect(grow.mock.calls.length).toBeLessThan(20)
    const before = engine.inUse()
    for (const one of buffers) engine.release(one)
    expect(before - engine.inUse()).toBeGreaterThanOrEqual(2000 * 10_000)
  })

  test('what is given back twice is taken back once, and used again', () => {
    const engine = createEngine()
    const start = engine.inUse()
    const one = engine.allocate(1)
    expect(engine.inUse()).toBeGreaterThan(start)
    engine.release(one)
    engine.release(one)
    expect(engine.inUse()).toBe(start)
    const again = engine.allocate(1)
    expect(again.address).toBe(one.address)
    expect(engine.allocate(1).address).not.toBe(again.address)
  })

  test('numbers are written and seen at their place', () => {
    const engine = createEngine()
    for (const precision of ['f32', 'f64'] as const) {
      const { address } = engine.allocate(4 * bytesPer(precision))
      engine.view(precision, address, 4).set([1, 2, 3, 4])
      engine.writeOne(precision, address + 2 * bytesPer(precision), 7.5)
      expect(Array.from(engine.view(precision, address, 4))).toEqual([1, 2, 7.5, 4])
    }
    expect([bytesPer('f32'), bytesPer('f64')]).toEqual([4, 8])
  })

  test.each(['f32', 'f64', 'ints'] as const)('%s are written at their place after it grew, too', (what) => {
    const engine = createEngine()
    engine.allocate(1 << 24)
    const { address } = engine.allocate(64)
    if (what === 'ints') engine.writeInts(address, Int32Array.of(3, -4))
    else for (const k of [0, 1]) engine.writeOne(what, address + k * bytesPer(what), [3, -4][k]!)
    const seen = what === 'ints' ? engine.viewInts(address, 2) : engine.view(what, address, 2)
    expect([...seen]).toEqual([3, -4])
  })

  test('more than there can be is an error in words', () => {
    expect(() => createEngine().allocate(2 ** 33)).toThrow('use smaller batches or models')
  })
})
