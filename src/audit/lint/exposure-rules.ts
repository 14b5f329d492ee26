/** Rules about settings in which published attacks recover labels, records or models exactly, and about what an audit needs. */
import { type Setup, stepsOfTurn, wholeBatches } from '../account/setup.js'
import { defineLintRule, type Found, noised } from './rule.js'

/** Whether single updates are seen as they are. */
const bare = (setup: Setup): boolean => !setup.secureAggregation && !noised(setup)

/** The smallest batch that a step reads, over all clients whose size is known; undefined where it is not. */
function smallestBatch(setup: Setup): { readonly size: number; readonly client: string } | undefined {
  const sizes = setup.clients.flatMap(({ id, records }) => {
    const size = records === null ? setup.batchSize : Math.min(records, setup.batchSize ?? records)
    return size === null ? [] : [{ size, client: id }]
  })
  return sizes.sort((a, b) => a.size - b.size)[0]
}

/** Whether a turn of this client is one step, so that its message is one gradient. */
function oneStep(setup: Setup): boolean {
  return setup.share === 'gradient' || setup.clients.some(({ records }) => stepsOfTurn(setup, records) === 1)
}

export const batchOfOne = defineLintRule({
  code: 'OH301',
  id: 'batch-of-one',
  severity: 'error',
  danger: 8,
  title: 'a step reads a single record',
  fix: 'take larger batches, several records for each client, secure aggregation or noise',
  check(setup) {
    const batch = smallestBatch(setup)
    if (!bare(setup) || batch?.size !== 1) return []
    const evidence = `batches of client ${batch.client} hold one record: its inputs are a ratio of two gradients, its label follows`
    return [{ subject: { of: 'batchSize' }, evidence }]
  },
})

export const linearMessages = defineLintRule({
  code: 'OH302',
  id: 'linear-model-solved',
  severity: 'error',
  danger: 7,
  title: 'enough messages of a linear model are on the wire to solve for the local optimum',
  fix: 'run fewer rounds than parameters, aggregate securely or add noise; mini-batches make it inexact, not impossible',
  check(setup) {
    const { kind, parameters: d } = setup.model
    if (!bare(setup) || kind !== 'linear' || d === 0) return []
    const open = setup.clients.filter(({ turns, records }) => turns >= d + 1 && wholeBatches(setup, records))
    if (open.length === 0) return []
    const [first] = open
    const sends = setup.from === 'scenario' ? 'sends up to' : 'sent'
    const evidence = `client ${first!.id} ${sends} ${first!.turns} messages over ${d} parameters, all records in each step: ${d + 1} determine its own model (${open.length} client${open.length === 1 ? '' : 's'})`
    return [{ subject: { of: setup.from === 'scenario' ? 'rounds' : 'model' }, evidence }]
  },
})

export const exactRecovery = defineLintRule({
  code: 'OH303',
  id: 'exact-recovery',
  severity: 'error',
  danger: 7,
  title: 'a message is the gradient of a few records',
  fix: 'take larger batches or several local steps, aggregate securely or add noise',
  check(setup) {
    const batch = smallestBatch(setup)
    if (!bare(setup) || batch === undefined || batch.size < 2 || batch.size > 8 || !oneStep(setup)) return []
    const classes = setup.loss.includes('cross-entropy')
      ? 'its labels are counted from the last layer'
      : 'its mean label follows'
    const evidence = `a message of client ${batch.client} is one gradient over ${batch.size} records: ${classes}, and records that a unit reads alone are in the clear`
    return [{ subject: { of: setup.share === 'gradient' ? 'share' : 'batchSize' }, evidence }]
  },
})

export const nothingHeldBack = defineLintRule({
  code: 'OH304',
  id: 'no-held-back-records',
  severity: 'warning',
  danger: 2,
  title: 'no records are held back, so no leak about records can be told from what anybody could know',
  fix: 'leave heldBack at 0.5, or give the truth of a recording its heldBack files',
  check(setup): Found[] {
    if (setup.from !== 'scenario' || setup.raw.heldBack !== 0) return []
    return [{ subject: { of: 'heldBack' }, evidence: 'heldBack is 0: questions about records will not be tested' }]
  },
})
