import { expect, test } from 'vitest'
import { workingsFigures } from './workings-figures.js'

const point = (beta: number, misfit: number, size: number) => ({ beta, misfit, size })
const round = (at: number, overlap: number) => ({
  round: at,
  having: { mean: 2, deviation: 0.5 },
  lacking: { mean: -1, deviation: 1 },
  overlap,
  heard: 0.25,
})

test('overlaps by round, and the distributions of the rounds that tell best, middling and worst', () => {
  const rounds = [round(3, 0.4), round(4, 0.05), round(5, 0.9)]
  const html = workingsFigures({ workings: { features: { property: 'in<version', rounds } } }, 'x')
  expect(html).toContain('aria-label="overlap of features, x"')
  for (const at of [3, 4, 5]) expect(html).toContain(`aria-label="features in round ${at}, x"`)
  expect(html.indexOf('Round 4, told apart best')).toBeLessThan(html.indexOf('Round 3, in the middle'))
  expect(html).toContain('Round 5, told apart worst')
  expect(html).toContain('in&lt;version')
  // One round has no course, and is drawn once.
  const alone = workingsFigures({ workings: { features: { property: 'p', rounds: [round(0, 0.1)] } } }, 'x')
  expect(alone.match(/<svg/g)).toHaveLength(1)
})

test('both distributions lie on one axis, from three deviations below the lower mean to three above the higher', () => {
  const html = workingsFigures({ workings: { features: { property: 'p', rounds: [round(0, 0.1)] } } }, 'x')
  const [from, to] = [...html.matchAll(/x="([\d.]+)" y="212"/g)].map(([, x]) => Number(x)) as [number, number]
  // The ends of the axis that is drawn.
  expect([from, to]).toEqual(
    html
      .match(/d="M(\d+) \d+V\d+H(\d+)"/)!
      .slice(1)
      .map(Number),
  )
  const at = (feature: number): number => from + ((feature + 4) / 7.5) * (to - from)
  const [lacking, having] = [...html.matchAll(/points="([^"]+)"/g)].map(([, points]) =>
    points!.split(' ').map((one) => one.split(',').map(Number) as [number, number]),
  ) as [[number, number][], [number, number][]]
  for (const [curve, mean, deviation] of [
    [lacking, -1, 1],
    [having, 2, 0.5],
  ] as const) {
    expect(curve[0]![0]).toBeCloseTo(at(mean - 3 * deviation), 0)
    expect(curve.at(-1)![0]).toBeCloseTo(at(mean + 3 * deviation), 0)
    const highest = curve.reduce((best, one) => (one[1] < best[1] ? one : best))
    expect(highest[0]).toBeCloseTo(at(mean), 0)
  }
  expect(Number(html.match(/<line x1="([\d.]+)"/)![1])).toBeCloseTo(at(0.25), 0)
})

test('an L-curve with what was chosen on it, or the words that nothing was', () => {
  const points = [point(0.1, 0.1, 9), point(1, 0.5, 1), point(10, 2, 0.8)]
  const html = workingsFigures({ workings: { lCurve: { points, chosen: points[1]!, rule: 'corner' } } }, 'x')
  expect(html).toContain('aria-label="the L-curve, x"')
  expect(html).toContain('misfit (log)')
  expect(html.match(/<circle/g)).toHaveLength(1)
  expect(html).toContain('the rule corner chose: beta 1')
  const other = workingsFigures({ workings: { lCurve: { points, chosen: null, rule: 'blup' } } }, 'x')
  expect(other).not.toContain('<circle')
  expect(other).toContain('blup, chooses by other means')
  expect(workingsFigures({ workings: { lCurve: { points: points.slice(0, 1), chosen: null, rule: '' } } }, 'x')).toBe(
    '',
  )
  expect(workingsFigures({}, 'x')).toBe('')
})
