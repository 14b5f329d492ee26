// One-sided Jacobi: pairs of columns are rotated until all are orthogonal; then their norms are the singular values.
// A round turns n/2 disjoint pairs, so that the square roots and divisions of a round run side by side.
import { TINY_SQ } from './householder'
import { across, madd, zeros } from './lanes'

/**
 * y: n columns whose first `rows` (padded) doubles are to become orthogonal; rotations act on all `ld`. The larger of a
 * pair moves to the lower index. `work`: 5 (n + 3) doubles. Returns the number of sweeps, -1 when `most` did not do.
 */
export function orthogonalise(y: usize, ld: i32, rows: i32, n: i32, tolerance: f64, most: i32, work: usize): i32 {
  const stride: usize = ld << 3
  const lanes: usize = ((n + 3) >> 2) << 4 // room for n/2 doubles, rounded up to whole vectors
  const pp = work, qq = pp + lanes, dd = qq + lanes, ss = dd + lanes, tt = ss + lanes
  memory.fill(work, 0, 3 * lanes)
  const tol = f64x2.splat(tolerance)
  const one = f64x2.splat(1)
  const tiny = f64x2.splat(TINY_SQ)
  for (let sweep = 1; sweep <= most; sweep++) {
    let turned = false
    for (let round = 0; round < n; round++) {
      // The pairs i < j with i + j = round modulo n: together the rounds meet every pair once.
      const lower = (round + 1) >> 1
      const pairs = lower + ((n - 1 - round) >> 1)
      for (let k = 0; k < pairs; k++) {
        let p = y + (k < lower ? k : round + 1 + k - lower) * stride
        let q = y + (k < lower ? round - k : n - 1 - k + lower) * stride
        let p0 = zeros(), p1 = zeros(), q0 = zeros(), q1 = zeros(), d0 = zeros(), d1 = zeros()
        for (const end = p + (rows << 3); p < end; p += 32) {
          const x0 = v128.load(p), x1 = v128.load(p, 16), z0 = v128.load(q), z1 = v128.load(q, 16)
          p0 = madd<f64>(p0, x0, x0); p1 = madd<f64>(p1, x1, x1)
          q0 = madd<f64>(q0, z0, z0); q1 = madd<f64>(q1, z1, z1)
          d0 = madd<f64>(d0, x0, z0); d1 = madd<f64>(d1, x1, z1)
          q += 32
        }
        store<f64>(pp + (k << 3), across<f64>(f64x2.add(p0, p1)))
        store<f64>(qq + (k << 3), across<f64>(f64x2.add(q0, q1)))
        store<f64>(dd + (k << 3), across<f64>(f64x2.add(d0, d1)))
      }
      if (pairs & 1) store<f64>(dd + (pairs << 3), 0)
      let any = false
      for (let at: usize = 0, end: usize = pairs << 3; at < end; at += 16) {
        const a = v128.load(pp + at), b = v128.load(qq + at), d = v128.load(dd + at)
        const size = f64x2.mul(f64x2.sqrt(a), f64x2.sqrt(b))
        const turn = v128.and(f64x2.gt(f64x2.abs(d), f64x2.mul(tol, size)), f64x2.gt(f64x2.min(a, b), tiny))
        if (v128.any_true(turn)) any = true
        // zeta = (b - a) / 2d, t = sign(zeta) / (|zeta| + sqrt(1 + zeta^2)): the smaller of the two angles
        const zeta = f64x2.div(f64x2.sub(b, a), f64x2.add(d, d))
        const t0 = f64x2.div(one, f64x2.add(f64x2.abs(zeta), f64x2.sqrt(madd<f64>(one, zeta, zeta))))
        const t = v128.or(t0, v128.and(zeta, i64x2.splat(i64.MIN_VALUE)))
        const c = f64x2.div(one, f64x2.sqrt(madd<f64>(one, t, t)))
        const sine = v128.and(f64x2.mul(c, t), turn)
        v128.store(ss + at, sine)
        v128.store(tt + at, f64x2.div(sine, f64x2.add(one, c)))
      }
      if (!any) continue
      turned = true
      for (let k = 0; k < pairs; k++) {
        const sine = load<f64>(ss + (k << 3))
        if (sine == 0) continue
        let p = y + (k < lower ? k : round + 1 + k - lower) * stride
        let q = y + (k < lower ? round - k : n - 1 - k + lower) * stride
        // With tau = s / (1 + c) the change, not the column, is rounded: a small turn costs little accuracy.
        const s = f64x2.splat(sine), tau = v128.load_splat<f64>(tt + (k << 3))
        const cross = load<f64>(pp + (k << 3)) < load<f64>(qq + (k << 3)) ? q - p : 0
        for (const end = p + stride; p < end; p += 32) {
          const x0 = v128.load(p), x1 = v128.load(p, 16), z0 = v128.load(q), z1 = v128.load(q, 16)
          const up0 = f64x2.sub(x0, f64x2.mul(s, madd<f64>(z0, tau, x0)))
          const up1 = f64x2.sub(x1, f64x2.mul(s, madd<f64>(z1, tau, x1)))
          const down0 = f64x2.add(z0, f64x2.mul(s, f64x2.sub(x0, f64x2.mul(tau, z0))))
          const down1 = f64x2.add(z1, f64x2.mul(s, f64x2.sub(x1, f64x2.mul(tau, z1))))
          v128.store(p + cross, up0)
          v128.store(p + cross, up1, 16)
          v128.store(q - cross, down0)
          v128.store(q - cross, down1, 16)
          q += 32
        }
      }
    }
    if (!turned) return sweep
  }
  return -1
}
