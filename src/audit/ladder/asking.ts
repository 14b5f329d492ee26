/** What an attack is asked with, in the cells of one training. */
import type { Attack } from '../../attacks/attack.js'
import type { CellGuess } from '../../metrics/cells/public-guesses.js'
import type { Known } from '../../metrics/grading.js'
import type { Rng } from '../../numeric/random/rng.js'
import type { Sources } from '../../threat/grant.js'
import type { Channel } from '../../threat/granted-keys.js'
import type { TruthFile } from '../../transcript/truth-file.js'
import type { Given, Surroundings } from '../run-attack.js'
import type { Ask } from './answer.js'

/** What an attack is asked with. */
export interface Asking {
  readonly attack: Attack
  readonly params: Given
  readonly ask: Ask & { readonly client: string }
  /** The recording with the client in it, and one without where there is one. */
  readonly sources: Sources
  readonly without?: Sources
  readonly truth: TruthFile
  readonly known: Known
  readonly around: Omit<Surroundings, 'sources'>
  /** Draws of the training that all its attacks share: they are asked about the same records. */
  readonly rng: Rng
  /** Guesses that were made about the same records before, by what they are about. */
  readonly guesses: Map<string, readonly CellGuess[]>
  /** A fresh line into the live federation, for attacks that send. */
  channelTo?(client: string): Promise<Channel | undefined>
}
