import { expect, test } from 'vitest'
import { hourOf } from './hour.js'
import { secondsOf } from './search-advice.js'

test('a budget is in seconds, minutes or hours', () => {
  const told = ['90', '90s', '5m', '1h', '0.5h', ' 2m ', '1.25s', '0.01']
  expect(told.map(secondsOf)).toEqual([90, 90, 300, 3600, 1800, 120, 1.25, 0.01])
  expect(secondsOf(undefined)).toBeUndefined()
})

test.each(['', '0', '0s', 'm', '5d', '-5m', '5 m', '.5h', '5.m', '5mm', 'x5m'])('"%s" is none', (text) => {
  expect(() => secondsOf(text)).toThrow(`--budget is "${text}"; a time is needed, such as 90s, 5m or 1h`)
})

test('the hour is told in UTC, to the minute', () => {
  expect(hourOf(new Date('2026-11-18T02:15:59.999+00:00'))).toBe('2026-11-18 02:15 UTC')
  expect(hourOf()).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d UTC$/)
})
