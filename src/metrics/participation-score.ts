/** Grades who is believed to have taken part when: the share of clients and rounds that is right. */
import { OverhearError } from '../errors.js'
import { distinctIds, metric, needed } from './grading.js'
import { scoreOf } from './score.js'

/** Chance knows how often each client took part in a window: it says in all of its rounds or in none, whichever is oftener. */
export const participation = metric('participation', 'who took part in which round', (claim, { truth }) => {
  const [rows] = needed(['participation', truth.participation])
  distinctIds(claim.clients)
  const odd = claim.clients.find(({ took }) => took.length !== claim.rounds.length)
  if (odd !== undefined) {
    const found = `client "${odd.id}" is claimed for ${odd.took.length} rounds`
    throw new OverhearError('E_SHAPE', found, `the claim has ${claim.rounds.length}`)
  }
  const known = claim.rounds.map((round) => needed([`participation.${round}`, rows.get(round)])[0])
  const was = known.map((ids) => new Set(ids))
  let [right, both, said, whole, guessed] = [0, 0, 0, 0, 0]
  let took = 0
  for (const { id, took: claimed } of claim.clients) {
    const real = was.map((ids) => ids.has(id))
    const hits = real.filter((is, r) => is === claimed[r]).length
    right += hits
    if (hits === real.length) whole++
    both += real.filter((is, r) => is && claimed[r]).length
    said += claimed.filter(Boolean).length
    took += real.filter(Boolean).length
    for (const { from, to } of claim.windows) {
      const inside = real.filter((_, r) => claim.rounds[r]! >= from && claim.rounds[r]! <= to)
      const count = inside.filter(Boolean).length
      guessed += Math.max(count, inside.length - count)
    }
  }
  const cells = claim.clients.length * claim.rounds.length
  return scoreOf({
    metric: 'share of cells',
    value: right / cells,
    better: 'higher',
    guesses: [{ words: 'how often each took part, and nothing else', value: guessed / cells }],
    also: { F1: (2 * both) / (said + took), 'whole clients': whole / claim.clients.length },
    notes: [],
  })
})
