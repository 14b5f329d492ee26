/** The studies as `overhear list studies` shows them. */
import type { Listed } from '../../audit/catalogue.js'
import { originOf } from '../../registry.js'
import { studies } from '../../studies/index.js'
import type { Study } from '../../studies/study.js'

export interface ListedStudy extends Listed, Pick<Study, 'where' | 'data' | 'seconds' | 'seeds'> {
  /** What the paper says that is checked. */
  readonly claims: readonly string[]
}

export const listedStudies = (): ListedStudy[] =>
  Object.values<Study>(studies).map(({ id, title, paper, where, data, seconds, seeds, claims }) => ({
    id,
    title,
    paper,
    where,
    data,
    seconds,
    seeds,
    claims: claims.map(({ text }) => text),
    from: originOf(studies, id),
  }))
