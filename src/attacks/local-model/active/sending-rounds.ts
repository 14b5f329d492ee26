/** In which rounds a malicious server sends what it likes. */
import { OverhearError } from '../../../errors.js'
import { numbers } from '../../../params.js'

export const roundsParam = numbers({
  default: [10],
  min: 0,
  max: 1e6,
  whole: true,
  doc: 'one number: so many messages in all, in consecutive rounds; several: the rounds in which it sends, from 0',
})

/** [aia] App. B.4: active rounds need not be consecutive. */
export function activeRounds(asked: readonly number[]): readonly number[] {
  const [count] = asked
  if (asked.length === 1 && count! > 0) return Array.from({ length: count! }, (_, t) => t)
  const rising = asked.every((round, i) => i === 0 || round > asked[i - 1]!)
  if (asked.length > 1 && rising) return asked
  const needed = 'a number of messages from 1, or several rounds that rise, is needed'
  throw new OverhearError('E_VALUE', `rounds is ${asked.join(',') || 'empty'}`, needed)
}
