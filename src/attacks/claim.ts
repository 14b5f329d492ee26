/** What an attack may believe. Metrics grade each kind; a kind without a metric does not compile. */

/** How well what an attack believes explains what was heard: predicted or replayed, and compared. */
export interface Fit {
  /** The relative residual: |heard - predicted| / |heard|. */
  readonly misfit: number
  /** The misfit that rounding, rehearsal and the protocol's own randomness explain. */
  readonly expected: number
  /** The probability of a misfit at least so large where all is as stated; 1 or 0 where rounding alone decides. */
  readonly p: number
}

export interface ModelClaim {
  readonly kind: 'model'
  readonly client: string
  /** Flat, in the order of the manifest's parameters. */
  readonly theta: Float64Array
  readonly fit?: Fit
}

export interface AttributeClaim {
  readonly kind: 'attribute'
  readonly client: string
  /** The sensitive attribute's name. */
  readonly name: string
  /** In the order of the records: places in `sensitive.values`, or encoded numbers for a continuous attribute. */
  readonly values: ArrayLike<number>
  /** Probability that each value is right (or, for a continuous one, its standard error as seen by the attacker). */
  readonly confidence?: ArrayLike<number>
}

export interface LabelClaim {
  readonly kind: 'label'
  readonly client: string
  readonly round: number
  readonly value: number
  /** Where a record has several labels, all of them in the order of the outputs; `value` is then their mean. */
  readonly values?: ArrayLike<number>
  readonly fit?: Fit
}

export interface LabelMeanClaim {
  readonly kind: 'label-mean'
  readonly client: string
  readonly round: number
  readonly value: number
  readonly fit?: Fit
}

/** Groups that an attack made itself: a record is of the nearest centre, each column in units of its scale. */
export interface Clusters {
  readonly centres: readonly (readonly number[])[]
  readonly scales: readonly number[]
}

/** In the order of `metaclasses`, or of `clusters` where there are some; NaN for one of which nothing is claimed. */
export interface MetaclassMeansClaim {
  readonly kind: 'metaclass-means'
  readonly client: string
  readonly round: number
  readonly values: ArrayLike<number>
  readonly clusters?: Clusters
  readonly fit?: Fit
}

export interface MetaclassCountsClaim {
  readonly kind: 'metaclass-counts'
  readonly client: string
  readonly round: number
  readonly values: ArrayLike<number>
  readonly clusters?: Clusters
  readonly fit?: Fit
}

/** The labels in a batch, each as often as it is believed to occur; or, with `client` alone, one label per record. */
export interface LabelsClaim {
  readonly kind: 'labels'
  readonly client: string
  /** Absent when the labels are of the client's records, in their order, and not of one update. */
  readonly round?: number
  readonly labels: ArrayLike<number>
  /** Classes, each named once: how often one occurs is not claimed. */
  readonly once?: true
  readonly fit?: Fit
}

export interface LabelCountsClaim {
  readonly kind: 'label-counts'
  readonly client: string
  readonly round: number
  readonly counts: ArrayLike<number>
  readonly fit?: Fit
}

export interface RecordsClaim {
  readonly kind: 'records'
  readonly client: string
  readonly round: number
  readonly features: readonly ArrayLike<number>[]
  /** One a record, or all of a record's one after the other; none when they were not sought. */
  readonly labels: ArrayLike<number>
  readonly fit?: Fit
}

export interface PropertyClaim {
  readonly kind: 'property'
  readonly property: string
  readonly clients: readonly PropertyOfClient[]
  /** The attack only ranks clients: that nobody is accused says nothing. */
  readonly ranksOnly?: true
  /** Absent where no curve was asked for. */
  readonly exposure?: Exposure
}

export interface PropertyOfClient {
  readonly id: string
  /** That it has the property; null where the method has no probability to give. */
  readonly probability: number | null
  /** Ranks clients where there is no probability. */
  readonly score?: number
  /** Whether it is accused. */
  readonly positive: boolean
}

/** After how many rounds a client is given away. Of many clients only those accused or exposed are in it. */
export interface Exposure {
  /** The rounds, ascending, after which clients were judged anew. */
  readonly rounds: readonly number[]
  /** By a client's id: its probability after each of these rounds. */
  readonly probability: Readonly<Record<string, readonly number[]>>
  /** A client counts as exposed when its probability is greater. */
  readonly above: number
  /** By the id of a client that is so in the end: the first of these rounds from which on its probability stays above. */
  readonly exposedAt: Readonly<Record<string, number>>
  /** The same clients: the round before that, after which they were judged and not exposed; null where there was none. */
  readonly lastBelow: Readonly<Record<string, number | null>>
}

/** Rows of `candidates` that the target is believed to have trained on; `scores` rank all of them. */
export interface MembersClaim {
  readonly kind: 'members'
  readonly client: string
  readonly rows: readonly number[]
  readonly scores?: ArrayLike<number>
}

export interface ContributionClaim {
  readonly kind: 'contribution'
  readonly clients: readonly { readonly id: string; readonly score: number }[]
}

/** How a client trains, by the names that a recording has for the settings. */
export interface ProtocolClaim {
  readonly kind: 'protocol'
  readonly client: string
  readonly settings: Readonly<Record<string, unknown>>
}

/** Who took part in which of these rounds. */
export interface ParticipationClaim {
  readonly kind: 'participation'
  readonly rounds: readonly number[]
  /** The first and the last round of each window in which it was known how often clients took part. */
  readonly windows: readonly { readonly from: number; readonly to: number }[]
  readonly clients: readonly { readonly id: string; readonly took: readonly boolean[] }[]
}

export type Claim =
  | ModelClaim
  | AttributeClaim
  | LabelClaim
  | LabelMeanClaim
  | MetaclassMeansClaim
  | MetaclassCountsClaim
  | LabelsClaim
  | LabelCountsClaim
  | RecordsClaim
  | PropertyClaim
  | MembersClaim
  | ContributionClaim
  | ProtocolClaim
  | ParticipationClaim

/** A claim of a kind that is not ours, for the metric that comes with it. */
export interface OwnClaim {
  readonly kind: `own-${string}`
  readonly [key: string]: unknown
}

export type ClaimKind = Claim['kind']
export type ClaimOf<K extends ClaimKind> = Extract<Claim, { readonly kind: K }>
