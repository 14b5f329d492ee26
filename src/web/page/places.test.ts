import { describe, expect, test } from 'vitest'
import { placeOf, toCompare, toExplore, toRun, toStudy, toSweep } from './places.js'
import { valueAt } from './use-scenario.js'

describe('an address of the page', () => {
  test.each([
    [toRun('a b/c'), '#/run/a%20b%2Fc', { screen: 'run', id: 'a b/c' }],
    [toSweep('s'), '#/sweep/s', { screen: 'sweep', id: 's' }],
    [toStudy('stored.é'), '#/study/stored.%C3%A9', { screen: 'study', id: 'stored.é' }],
    [toExplore('r'), '#/explore/r', { screen: 'explore', id: 'r', tab: '', client: '' }],
    [toExplore('r', 'rounds'), '#/explore/r/rounds', { screen: 'explore', id: 'r', tab: 'rounds', client: '' }],
    [toExplore('r', 'client', 'c/1'), '#/explore/r/client/c%2F1', { screen: 'explore', id: 'r', tab: 'client', client: 'c/1' }], // biome-ignore format: a line
    [toCompare('a', 'b c'), '#/compare/a/b%20c', { screen: 'compare', before: 'a', after: 'b c' }],
  ])('%s is read as it was written', (address, text, place) => {
    expect(address).toBe(text)
    expect(placeOf(address)).toEqual(place)
  })

  test.each(['new', 'lab', 'sweeps', 'studies'])('#/%s is a screen of its own', (screen) => {
    expect(placeOf(`#/${screen}`)).toEqual({ screen })
    expect(placeOf(`#${screen}/more`)).toEqual({ screen })
  })

  test('that is cut short is as much as it says', () => {
    expect(placeOf('#/compare')).toEqual({ screen: 'compare', before: '', after: '' })
    expect(placeOf('#/compare/a')).toEqual({ screen: 'compare', before: 'a', after: '' })
    expect(placeOf('#/run/%E0%A4')).toEqual({ screen: 'run', id: '%E0%A4' })
    for (const other of ['', '#', '#/', '#/run', '#/sweep', '#/study', '#/explore', '#/runs', '#/nothing/x'])
      expect(placeOf(other)).toEqual({ screen: 'runs' })
  })
})

test('what stands at a path is found by its own keys alone', () => {
  const values = { models: [{ kind: 'mlp', hidden: null }], training: 'fast' }
  expect(valueAt(values, [])).toBe(values)
  expect(valueAt(values, ['models', 0, 'kind'])).toBe('mlp')
  expect(valueAt(values, ['models', 0, 'hidden'])).toBeNull()
  for (const path of [['models', 1], ['models', 0, 'hidden', 'x'], ['training', 'length'], ['toString'], ['models', 0, 'none', 'x']]) // biome-ignore format: a line
    expect(valueAt(values, path)).toBeUndefined()
  expect(valueAt(null, ['a'])).toBeUndefined()
})
