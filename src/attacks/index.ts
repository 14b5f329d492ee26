/** The table of attacks: one file and one line each. */

import { table } from '../registry.js'
import type { Attack } from './attack.js'
import { aiaGradient } from './attributes/aia-gradient.js'
import { aiaLinear } from './attributes/aia-linear.js'
import { aiaLinearActive } from './attributes/aia-linear-active.js'
import { aiaModel } from './attributes/aia-model.js'
import { blr } from './labels/classification/blr.js'
import { idlg } from './labels/classification/idlg.js'
import { ilrg } from './labels/classification/ilrg.js'
import { llg } from './labels/classification/llg.js'
import { llgPlus } from './labels/classification/llg-plus.js'
import { llgStar } from './labels/classification/llg-star.js'
import { lmraLabel } from './labels/lmra-label.js'
import { labelMean } from './labels/regression/label-mean.js'
import { metaclassCounts } from './labels/regression/metaclass-counts.js'
import { metaclassMeans } from './labels/regression/metaclass-means.js'
import { regressionLabel } from './labels/regression/regression-label.js'
import { lastReturned } from './local-model/last-returned.js'
import { lmraActiveAdam } from './local-model/lmra-active-adam.js'
import { lmraActiveEcho } from './local-model/lmra-active-echo.js'
import { lmraActiveOls } from './local-model/lmra-active-ols.js'
import { lmraData } from './local-model/lmra-data.js'
import { lmraExact } from './local-model/lmra-exact.js'
import { lmraMapping } from './local-model/lmra-mapping.js'
import { lmraOls } from './local-model/lmra-ols.js'
import { membershipLoss } from './members/membership-loss.js'
import { contribution } from './properties/contribution.js'
import { disaggregation } from './properties/disaggregation.js'
import { freeRider } from './properties/free-rider.js'
import { participation } from './properties/participation/participation.js'
import { prolin } from './properties/prolin.js'
import { propertyBlup } from './properties/property-blup.js'
import { propertyOls } from './properties/property-ols.js'
import { propertyPosterior } from './properties/property-posterior.js'
import { propertyReg } from './properties/property-reg.js'
import { protocol } from './protocol/protocol.js'
import { dlg } from './records/dlg.js'
import { recordsClosedForm } from './records/records-closed-form.js'

export const attacks = table<Attack>('attack', [
  lastReturned,
  lmraExact,
  lmraOls,
  lmraMapping,
  lmraActiveAdam,
  lmraActiveEcho,
  lmraActiveOls,
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
  recordsClosedForm,
  disaggregation,
  propertyOls,
  propertyReg,
  prolin,
  propertyBlup,
  propertyPosterior,
  freeRider,
  contribution,
  protocol,
  participation,
])
