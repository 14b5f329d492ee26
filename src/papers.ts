/** The bibliography. Code cites as `[key] Eq. (n)`; a test checks that every key stands here. */

export interface Paper {
  readonly authors: string
  readonly title: string
}

export const papers = {
  lmra: { authors: 'Xu, Neglia', title: 'What else is leaked when eavesdropping federated learning?' },
  aia: {
    authors: 'Diana, Marfoq, Xu, Neglia, Giroire, Thomas',
    title: 'Attribute inference attacks for federated regression tasks',
  },
  labels: { authors: 'Leprovost', title: 'Label leakage from regression models gradients in federated learning' },
  prolin: {
    authors: 'Kerkouche, Ács, Fritz',
    title: 'Client-specific property inference against secure aggregation in federated learning',
  },
  mcmahan2017: {
    authors: 'McMahan, Moore, Ramage, Hampson, Agüera y Arcas',
    title: 'Communication-efficient learning of deep networks from decentralized data',
  },
  salmon2011: { authors: 'Salmon, Moraes, Dror, Shaw', title: 'Parallel random numbers: as easy as 1, 2, 3' },
  wichura1988: { authors: 'Wichura', title: 'Algorithm AS 241: the percentage points of the normal distribution' },
  lemire2019: { authors: 'Lemire', title: 'Fast random integer generation in an interval' },
  marsaglia2000: { authors: 'Marsaglia, Tsang', title: 'A simple method for generating gamma variables' },
} as const satisfies Record<string, Paper>
