/** `overhear compare`: what changed between two audits, and whether it is more than noise. */
import { compareAudits } from '../../audit/finished/compare.js'
import { compareText } from '../../report/compare-text.js'
import { madeOf, readAudit } from '../files/audit-file.js'
import { print, printJson } from '../print.js'
import { commonFlags, parsePlaced } from './arguments.js'

export async function runCompare(args: readonly string[]): Promise<number> {
  const { values, places } = parsePlaced(args, commonFlags, ['the run before', 'the run after'])
  const [before, after] = [readAudit(places[0]!), readAudit(places[1]!)]
  const compared = madeOf(places.join(' and '), () => compareAudits(before, after))
  await (values.json ? printJson(compared) : print(compareText(compared)))
  return 0
}
