/** What a job reads: the recording with what the adversary knows, and the truth where it is given. */
import type { Sources } from '../threat/grant.js'
import type { TruthFile } from '../transcript/truth-file.js'

/** An opened recording. */
export interface Evidence {
  readonly sources: Sources
  /** Without it nothing is graded, and controls cannot be planted. */
  readonly truth?: TruthFile
}
