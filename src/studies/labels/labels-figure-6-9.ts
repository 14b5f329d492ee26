/** [labels] Fig. 6.9: mean labels of groups where the auxiliary inputs are noisy: Eq. (6.1), first line. */
import type { Records } from '../../data/records.js'
import { measured } from '../claims.js'
import { steep } from './group-errors.js'
import { salaryRobustness } from './salary-robustness.js'

const noises = [0, 0.1, 0.5, 1] as const
const nameOf = (std: number): string => `noise ${std}`

const noisy =
  (std: number) =>
  ({ features, ...rest }: Records, own: { normals(n: number): Float64Array }): Records => {
    const drawn = own.normals(features.data.length)
    return { ...rest, features: { ...features, data: features.data.map((x, i) => x + std * drawn[i]!) } }
  }

export const labelsFigure69 = salaryRobustness({
  id: 'labels-figure-6-9',
  where: 'Fig. 6.9',
  what: 'with noise on the auxiliary inputs',
  changes: Object.fromEntries(noises.map((std) => [nameOf(std), { spoil: noisy(std) }])),
  departs: [
    'Of noise 1 our attack claims nothing: such auxiliary records do not explain the gradient any more, and it says so.',
  ],
  seconds: { quick: 48, full: 800 },
  claims: (panelOf) => [
    {
      text: 'noise of a deviation up to 0.5 has a small effect: at epoch 10 the error is at most 1.5 times that without',
      holds: measured(
        [0, 0.1, 0.5].map((std) => [panelOf(nameOf(std)), steep, 10] as const),
        ([none, ...more]) => more.every((error) => error <= 1.5 * none!),
        { least: 3, of: 'median' },
      ),
    },
    {
      text: 'so has noise of a deviation of 1',
      holds: measured(
        noises.map((std) => [panelOf(nameOf(std)), steep, 10] as const),
        ([none, ...more]) => more.every((error) => error <= 1.5 * none!),
        { least: noises.length, of: 'median' },
      ),
    },
  ],
})
