/** Rounds written down beforehand, by id; after the last one the list begins again. */
import { OverhearError } from '../../errors.js'
import { text } from '../../params.js'
import { distinct } from '../../transcript/validate.js'
import { defineSampling } from './sampling.js'

/** The ids of each round, as they are written. */
export const idsOfRounds = (rounds: string): string[][] =>
  rounds.split(';').map((line) => line.split(',').flatMap((id) => (id.trim() === '' ? [] : [id.trim()])))

export const schedule = defineSampling({
  id: 'schedule',
  title: 'a fixed list of rounds',
  params: { rounds: text({ default: '', doc: 'ids with commas between them, rounds with semicolons: "0,1;1,2"' }) },
  prepare: ({ rounds }, population) => {
    const list = idsOfRounds(rounds).map((ids, round) => {
      distinct(ids, { key: `round ${round}`, where: 'sampling schedule' })
      return ids.map((id) => {
        const client = population.indexOf(id)
        if (client !== undefined) return client
        const found = `sampling schedule: round ${round} names client "${id}"`
        throw new OverhearError('E_VALUE', found, 'there is no such client')
      })
    })
    if (list.every((line) => line.length === 0)) {
      throw new OverhearError('E_VALUE', 'sampling schedule: rounds names nobody', 'write it like "0,1;1,2"')
    }
    return ({ round }) => list[round % list.length]!
  },
})
