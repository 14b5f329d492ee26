/** The table of attacks: one file and one line each. */
import { aiaGradient } from './aia-gradient.js'
import { aiaLinear } from './aia-linear.js'
import { aiaLinearActive } from './aia-linear-active.js'
import { aiaModel } from './aia-model.js'
import type { Attack } from './attack.js'
import { blr } from './blr.js'
import { contribution } from './contribution.js'
import { disaggregation } from './disaggregation.js'
import { dlg } from './dlg.js'
import { freeRider } from './free-rider.js'
import { idlg } from './idlg.js'
import { ilrg } from './ilrg.js'
import { labelMean } from './label-mean.js'
import { lastReturned } from './last-returned.js'
import { llg } from './llg.js'
import { llgPlus } from './llg-plus.js'
import { llgStar } from './llg-star.js'
import { lmraActiveAdam } from './lmra-active-adam.js'
import { lmraActiveEcho } from './lmra-active-echo.js'
import { lmraData } from './lmra-data.js'
import { lmraExact } from './lmra-exact.js'
import { lmraLabel } from './lmra-label.js'
import { lmraMapping } from './lmra-mapping.js'
import { lmraOls } from './lmra-ols.js'
import { membershipLoss } from './membership-loss.js'
import { metaclassCounts } from './metaclass-counts.js'
import { metaclassMeans } from './metaclass-means.js'
import { prolin } from './prolin.js'
import { propertyBlup } from './property-blup.js'
import { propertyOls } from './property-ols.js'
import { propertyPosterior } from './property-posterior.js'
import { propertyReg } from './property-reg.js'
import { regressionLabel } from './regression-label.js'

const list: readonly Attack[] = [
  lastReturned,
  lmraExact,
  lmraOls,
  lmraMapping,
  lmraActiveAdam,
  lmraActiveEcho,
  lmraData,
  lmraLabel,
  membershipLoss,
  aiaModel,
  aiaGradient,
  aiaLinear,
  aiaLinearActive,
  regressionLabel,
  labelMean,
  metaclassMeans,
  metaclassCounts,
  idlg,
  blr,
  llg,
  llgStar,
  llgPlus,
  ilrg,
  dlg,
  disaggregation,
  propertyOls,
  propertyReg,
  prolin,
  propertyBlup,
  propertyPosterior,
  freeRider,
  contribution,
]

export const attacks: Readonly<Record<string, Attack>> = Object.fromEntries(list.map((one) => [one.id, one]))
