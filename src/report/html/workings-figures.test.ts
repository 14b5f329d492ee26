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
