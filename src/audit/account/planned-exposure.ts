/** After how many rounds one client of a planned federation is given away: who takes part when is drawn from a seed. */
import { forecastOf } from '../../attacks/properties/exposure-forecast.js'
import { OverhearError } from '../../errors.js'
import { rng } from '../../numeric/random/rng.js'

export { type Forecast, forecastAtRandom as atRandom } from '../../attacks/properties/exposure-forecast.js'

/** Entries of a participation matrix that is drawn for one client. */
const mostEntries = 50_000_000

export interface Asked {
  readonly clients: number
  readonly perRound: number
  readonly rounds: number
  readonly signal: number
  readonly share: number
  readonly seed: number
}

/** One client of a participation matrix that is drawn from the seed. */
export function clientAtRandom(text: string, { clients, perRound, rounds, signal, share, seed }: Asked) {
  const id = Number(text)
  if (text.trim() === '' || !Number.isSafeInteger(id) || id < 0 || id >= clients) {
    throw new OverhearError('E_VALUE', `--client is "${text}"`, `a whole number from 0 to ${clients - 1} is needed`)
  }
  if (perRound * rounds > mostEntries) {
    const found = `${perRound} clients in ${rounds} rounds are ${perRound * rounds} entries`
    throw new OverhearError('E_VALUE', found, `at most ${mostEntries} are drawn; leave out --client`)
  }
  const draws = rng(seed).fork('forecast')
  const column = new Int32Array(perRound * rounds)
  for (let r = 0; r < rounds; r++) column.set(draws.fork(r).sample(clients, perRound).sort(), r * perRound)
  const rowStart = Int32Array.from({ length: rounds + 1 }, (_, r) => r * perRound)
  const value = new Float64Array(column.length).fill(1)
  const forecast = forecastOf({ rows: rounds, cols: clients, rowStart, column, value }, { signal, share })[id]!
  return { id: String(id), takesPart: column.filter((i) => i === id).length, forecast }
}
