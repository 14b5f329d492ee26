/** The bibliography. Code cites as `[key] Eq. (n)`; a test checks that every key stands here. */

/** A reference. */
export interface Paper {
  readonly authors: string
  readonly title: string
}

/** The bibliography: what is cited, by key. */
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
  zhu2019: { authors: 'Zhu, Liu, Han', title: 'Deep leakage from gradients' },
  zhang2018: { authors: 'Zhang, Cisse, Dauphin, Lopez-Paz', title: 'mixup: beyond empirical risk minimization' },
  sun2021: {
    authors: 'Sun, Li, Wang, Yang, Li, Chen',
    title: 'Soteria: provable defense against privacy leakage in federated learning from representation perspective',
  },
  lam2021: {
    authors: 'Lam, Wei, Brooks, Reddi, Mitzenmacher',
    title:
      'Gradient disaggregation: breaking privacy in federated learning by reconstructing the user participant matrix',
  },
  abadi2016: {
    authors: 'Abadi, Chu, Goodfellow, McMahan, Mironov, Talwar, Zhang',
    title: 'Deep learning with differential privacy',
  },
  kairouz2021: {
    authors: 'Kairouz, McMahan, Song, Thakkar, Thakurta, Xu',
    title: 'Practical and private (deep) learning without sampling or shuffling',
  },
  salmon2011: { authors: 'Salmon, Moraes, Dror, Shaw', title: 'Parallel random numbers: as easy as 1, 2, 3' },
  box1958: { authors: 'Box, Muller', title: 'A note on the generation of random normal deviates' },
  doty2010: { authors: 'Doty-Humphrey', title: 'PractRand: practically random, a library of generators and tests' },
  kairouz2021b: {
    authors: 'Kairouz, Liu, Steinke',
    title: 'The distributed discrete Gaussian mechanism for federated learning with secure aggregation',
  },
  wichura1988: { authors: 'Wichura', title: 'Algorithm AS 241: the percentage points of the normal distribution' },
  lemire2019: { authors: 'Lemire', title: 'Fast random integer generation in an interval' },
  marsaglia2000: { authors: 'Marsaglia, Tsang', title: 'A simple method for generating gamma variables' },
  kingma2015: { authors: 'Kingma, Ba', title: 'Adam: a method for stochastic optimization' },
  loshchilov2019: { authors: 'Loshchilov, Hutter', title: 'Decoupled weight decay regularization' },
  duchi2011: {
    authors: 'Duchi, Hazan, Singer',
    title: 'Adaptive subgradient methods for online learning and stochastic optimization',
  },
  tieleman2012: { authors: 'Tieleman, Hinton', title: 'Lecture 6.5: rmsprop' },
  malkiel2020: { authors: 'Malkiel, Wolf', title: 'MTAdam: automatic balancing of multiple training loss terms' },
  nocedal2006: { authors: 'Nocedal, Wright', title: 'Numerical optimization, second edition' },
  hager2005: {
    authors: 'Hager, Zhang',
    title: 'A new conjugate gradient method with guaranteed descent and an efficient line search',
  },
  lenstra1982: { authors: 'Lenstra, Lenstra, Lovász', title: 'Factoring polynomials with rational coefficients' },
  schnorr1994: {
    authors: 'Schnorr, Euchner',
    title: 'Lattice basis reduction: improved practical algorithms and solving subset sum problems',
  },
  walker2011: { authors: 'Walker, Ni', title: 'Anderson acceleration for fixed-point iterations' },
  more1978: { authors: 'Moré', title: 'The Levenberg-Marquardt algorithm: implementation and theory' },
  more1994: { authors: 'Moré, Thuente', title: 'Line search algorithms with guaranteed sufficient decrease' },
  nielsen1999: { authors: 'Nielsen', title: "Damping parameter in Marquardt's method" },
  bergstra2011: { authors: 'Bergstra, Bardenet, Bengio, Kégl', title: 'Algorithms for hyper-parameter optimization' },
  delong1988: {
    authors: 'DeLong, DeLong, Clarke-Pearson',
    title: 'Comparing the areas under two or more correlated receiver operating characteristic curves',
  },
  naeini2015: {
    authors: 'Naeini, Cooper, Hauskrecht',
    title: 'Obtaining well calibrated probabilities using Bayesian binning',
  },
  guo2017: {
    authors: 'Guo, Pleiss, Sun, Weinberger',
    title: 'On calibration of modern neural networks',
  },
  li2020: {
    authors: 'Li, Sahu, Zaheer, Sanjabi, Talwalkar, Smith',
    title: 'Federated optimization in heterogeneous networks',
  },
  bonawitz2017: {
    authors: 'Bonawitz, Ivanov, Kreuter, Marcedone, McMahan, Patel, Ramage, Segal, Seth',
    title: 'Practical secure aggregation for privacy-preserving machine learning',
  },
  bell2020: {
    authors: 'Bell, Bonawitz, Gascón, Lepoint, Raykova',
    title: 'Secure single-server aggregation with (poly)logarithmic overhead',
  },
  gao2003: { authors: 'Gao', title: 'A new algorithm for decoding Reed-Solomon codes' },
  shamir1979: { authors: 'Shamir', title: 'How to share a secret' },
  beck2009: {
    authors: 'Beck, Teboulle',
    title: 'A fast iterative shrinkage-thresholding algorithm for linear inverse problems',
  },
  mironov2012: {
    authors: 'Mironov',
    title: 'On significance of the least significant bits for differential privacy',
  },
  mironov2017: { authors: 'Mironov', title: 'Rényi differential privacy' },
  mironov2019: {
    authors: 'Mironov, Talwar, Zhang',
    title: 'Rényi differential privacy of the sampled Gaussian mechanism',
  },
  canonne2020: { authors: 'Canonne, Kamath, Steinke', title: 'The discrete Gaussian for differential privacy' },
  balle2018: {
    authors: 'Balle, Wang',
    title: 'Improving the Gaussian mechanism for differential privacy: analytical calibration and optimal denoising',
  },
  balle2020: {
    authors: 'Balle, Barthe, Gaboardi, Hsu, Sato',
    title: 'Hypothesis testing interpretations and Rényi differential privacy',
  },
  wang2019: {
    authors: 'Wang, Balle, Kasiviswanathan',
    title: 'Subsampled Rényi differential privacy and analytical moments accountant',
  },
  zhu2022: {
    authors: 'Zhu, Dong, Wang',
    title: 'Optimal accounting of differential privacy via characteristic function',
  },
  doroshenko2022: {
    authors: 'Doroshenko, Ghazi, Kamath, Kumar, Manurangsi',
    title: 'Connect the dots: tighter discrete approximations of privacy loss distributions',
  },
  steinke2023: { authors: 'Steinke, Nasr, Jagielski', title: 'Privacy auditing with one (1) training run' },
  mahloujifar2024: {
    authors: 'Mahloujifar, Melis, Chaudhuri',
    title: 'Auditing f-differential privacy in one run',
  },
  nasr2023: {
    authors: 'Nasr, Hayes, Steinke, Balle, Tramèr, Jagielski, Carlini, Terzis',
    title: 'Tight auditing of differentially private machine learning',
  },
} satisfies Record<string, Paper>

/** What an entry cites: a key of the bibliography, or what a plug-in calls its own. */
export type Cited = keyof typeof papers | (string & {})
