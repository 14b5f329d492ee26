/** What an attack shows of its work beside its claim: curves and distributions that a report draws. Nothing of any person is in it. */

export interface Workings {
  /** Of a system that was regularised, or could be. */
  readonly lCurve?: LCurve
  /** Of features by which clients with a property are told from others, by round. */
  readonly features?: FeatureEvidence
}

export interface LCurve {
  /** From weak to strong regularisation: how far the solution is from the messages, and how large it is. */
  readonly points: readonly LCurvePoint[]
  /** What was chosen of them; null where the solver did not choose by this curve. */
  readonly chosen: LCurvePoint | null
  /** The rule that chose, or the solver that had none. */
  readonly rule: string
}

export interface LCurvePoint {
  readonly beta: number
  readonly misfit: number
  readonly size: number
}

/** A normal distribution. */
export interface FeatureSpread {
  readonly mean: number
  readonly deviation: number
}

export interface FeatureEvidence {
  readonly property: string
  readonly rounds: readonly FeatureRound[]
}

export interface FeatureRound {
  readonly round: number
  /** Of made-up clients that have the property. */
  readonly having: FeatureSpread
  /** Of made-up clients that have it not. */
  readonly lacking: FeatureSpread
  /** What the two have in common: 0 tells them apart always, 1 never. */
  readonly overlap: number
  /** The feature that was heard, as a mean over those who took part. */
  readonly heard: number
}
