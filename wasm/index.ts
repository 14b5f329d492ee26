// Every kernel, once for f32 and once for f64.
import { adam, addScaled, binary, transcend, unary } from './elementwise'
import { gemm } from './gemm'
import { gemv } from './gemv'
import { broadcast, fill, gatherCols, gatherRows, scatterCols } from './move'
import { conv, convInput, convWeight } from './image'
import { convInputAt, convWeightAt } from './winners'
import { pick, place, poolIndex, repeatEach } from './pool'
import { sparseNt, sparseRowSquares, sparseTn } from './sparse'
import { dot, firstNonFinite, rowDot, softmaxRows, sum, sumCols, sumRows } from './reduce'

/** First byte that no static table uses: the arena starts here. */
export function heapBase(): usize { return __heap_base }

export function copy(to: usize, from: usize, bytes: i32): void { memory.copy(to, from, bytes) }

export function gemm_f32(c: usize, a: usize, b: usize, m: i32, n: i32, k: i32, aRow: i32, aCol: i32, bRow: i32, bCol: i32, extra: usize, alphaAt: usize, mode: i32): void { gemm<f32>(c, a, b, m, n, k, aRow, aCol, bRow, bCol, extra, alphaAt, mode) }
export function gemm_f64(c: usize, a: usize, b: usize, m: i32, n: i32, k: i32, aRow: i32, aCol: i32, bRow: i32, bCol: i32, extra: usize, alphaAt: usize, mode: i32): void { gemm<f64>(c, a, b, m, n, k, aRow, aCol, bRow, bCol, extra, alphaAt, mode) }
export function gemv_f32(y: usize, a: usize, x: usize, m: i32, k: i32): void { gemv<f32>(y, a, x, m, k) }
export function gemv_f64(y: usize, a: usize, x: usize, m: i32, k: i32): void { gemv<f64>(y, a, x, m, k) }
export function binary_f32(op: i32, to: usize, a: usize, b: usize, rows: i32, cols: i32, aRow: i32, aCol: i32, bRow: i32, bCol: i32): void { binary<f32>(op, to, a, b, rows, cols, aRow, aCol, bRow, bCol) }
export function binary_f64(op: i32, to: usize, a: usize, b: usize, rows: i32, cols: i32, aRow: i32, aCol: i32, bRow: i32, bCol: i32): void { binary<f64>(op, to, a, b, rows, cols, aRow, aCol, bRow, bCol) }
export function unary_f32(op: i32, to: usize, from: usize, n: i32, by: f64): void { unary<f32>(op, to, from, n, by) }
export function unary_f64(op: i32, to: usize, from: usize, n: i32, by: f64): void { unary<f64>(op, to, from, n, by) }
export function transcend_f32(op: i32, to: usize, from: usize, n: i32): void { transcend<f32>(op, to, from, n) }
export function transcend_f64(op: i32, to: usize, from: usize, n: i32): void { transcend<f64>(op, to, from, n) }
export function addScaled_f32(to: usize, from: usize, n: i32, alphaAt: usize): void { addScaled<f32>(to, from, n, alphaAt) }
export function addScaled_f64(to: usize, from: usize, n: i32, alphaAt: usize): void { addScaled<f64>(to, from, n, alphaAt) }
export function sumCols_f32(to: usize, from: usize, rows: i32, cols: i32): void { sumCols<f32>(to, from, rows, cols) }
export function sumCols_f64(to: usize, from: usize, rows: i32, cols: i32): void { sumCols<f64>(to, from, rows, cols) }
export function sumRows_f32(to: usize, from: usize, rows: i32, cols: i32): void { sumRows<f32>(to, from, rows, cols) }
export function sumRows_f64(to: usize, from: usize, rows: i32, cols: i32): void { sumRows<f64>(to, from, rows, cols) }
export function gatherCols_f32(to: usize, from: usize, rows: i32, fromCols: i32, index: usize, cols: i32): void { gatherCols<f32>(to, from, rows, fromCols, index, cols) }
export function gatherCols_f64(to: usize, from: usize, rows: i32, fromCols: i32, index: usize, cols: i32): void { gatherCols<f64>(to, from, rows, fromCols, index, cols) }
export function scatterCols_f32(to: usize, from: usize, rows: i32, toCols: i32, index: usize, cols: i32): void { scatterCols<f32>(to, from, rows, toCols, index, cols) }
export function scatterCols_f64(to: usize, from: usize, rows: i32, toCols: i32, index: usize, cols: i32): void { scatterCols<f64>(to, from, rows, toCols, index, cols) }
export function gatherRows_f32(to: usize, from: usize, index: usize, rows: i32, cols: i32): void { gatherRows<f32>(to, from, index, rows, cols) }
export function gatherRows_f64(to: usize, from: usize, index: usize, rows: i32, cols: i32): void { gatherRows<f64>(to, from, index, rows, cols) }
export function fill_f32(to: usize, n: i32, value: f64): void { fill<f32>(to, n, value) }
export function fill_f64(to: usize, n: i32, value: f64): void { fill<f64>(to, n, value) }
export function broadcast_f32(to: usize, from: usize, rows: i32, cols: i32, fromRow: i32, fromCol: i32): void { broadcast<f32>(to, from, rows, cols, fromRow, fromCol) }
export function broadcast_f64(to: usize, from: usize, rows: i32, cols: i32, fromRow: i32, fromCol: i32): void { broadcast<f64>(to, from, rows, cols, fromRow, fromCol) }
export function dot_f32(to: usize, a: usize, b: usize, n: i32): void { store<f32>(to, dot<f32>(a, b, n)) }
export function sumAll_f32(to: usize, from: usize, n: i32): void { store<f32>(to, sum<f32>(from, n)) }
export function softmax_f32(to: usize, from: usize, rows: i32, cols: i32): void { softmaxRows<f32>(to, from, rows, cols, false) }
export function logSumExp_f32(to: usize, from: usize, rows: i32, cols: i32): void { softmaxRows<f32>(to, from, rows, cols, true) }
export function firstNonFinite_f32(a: usize, n: i32): i32 { return firstNonFinite<f32>(a, n) }
export function dot_f64(to: usize, a: usize, b: usize, n: i32): void { store<f64>(to, dot<f64>(a, b, n)) }
export function sumAll_f64(to: usize, from: usize, n: i32): void { store<f64>(to, sum<f64>(from, n)) }
export function softmax_f64(to: usize, from: usize, rows: i32, cols: i32): void { softmaxRows<f64>(to, from, rows, cols, false) }
export function logSumExp_f64(to: usize, from: usize, rows: i32, cols: i32): void { softmaxRows<f64>(to, from, rows, cols, true) }
export function firstNonFinite_f64(a: usize, n: i32): i32 { return firstNonFinite<f64>(a, n) }
export function conv_f32(to: usize, x: usize, w: usize, bias: usize, relu: bool, n: i32, C: i32, H: i32, W: i32, F: i32, K: i32, stride: i32, padding: i32, OH: i32, OW: i32, scratch: usize): void { conv<f32>(to, x, w, bias, relu, n, C, H, W, F, K, stride, padding, OH, OW, scratch) }
export function conv_f64(to: usize, x: usize, w: usize, bias: usize, relu: bool, n: i32, C: i32, H: i32, W: i32, F: i32, K: i32, stride: i32, padding: i32, OH: i32, OW: i32, scratch: usize): void { conv<f64>(to, x, w, bias, relu, n, C, H, W, F, K, stride, padding, OH, OW, scratch) }
export function convWeight_f32(to: usize, x: usize, c: usize, n: i32, C: i32, H: i32, W: i32, F: i32, K: i32, stride: i32, padding: i32, OH: i32, OW: i32, scratch: usize): void { convWeight<f32>(to, x, c, n, C, H, W, F, K, stride, padding, OH, OW, scratch) }
export function convWeight_f64(to: usize, x: usize, c: usize, n: i32, C: i32, H: i32, W: i32, F: i32, K: i32, stride: i32, padding: i32, OH: i32, OW: i32, scratch: usize): void { convWeight<f64>(to, x, c, n, C, H, W, F, K, stride, padding, OH, OW, scratch) }
export function convInput_f32(to: usize, c: usize, w: usize, n: i32, C: i32, H: i32, W: i32, F: i32, K: i32, stride: i32, padding: i32, OH: i32, OW: i32, scratch: usize): void { convInput<f32>(to, c, w, n, C, H, W, F, K, stride, padding, OH, OW, scratch) }
export function convInput_f64(to: usize, c: usize, w: usize, n: i32, C: i32, H: i32, W: i32, F: i32, K: i32, stride: i32, padding: i32, OH: i32, OW: i32, scratch: usize): void { convInput<f64>(to, c, w, n, C, H, W, F, K, stride, padding, OH, OW, scratch) }
export function convWeightAt_f32(to: usize, x: usize, c: usize, index: usize, n: i32, winners: i32, C: i32, H: i32, W: i32, F: i32, K: i32, OH: i32, OW: i32, scratch: usize): void { convWeightAt<f32>(to, x, c, index, n, winners, C, H, W, F, K, OH, OW, scratch) }
export function convWeightAt_f64(to: usize, x: usize, c: usize, index: usize, n: i32, winners: i32, C: i32, H: i32, W: i32, F: i32, K: i32, OH: i32, OW: i32, scratch: usize): void { convWeightAt<f64>(to, x, c, index, n, winners, C, H, W, F, K, OH, OW, scratch) }
export function convInputAt_f32(to: usize, c: usize, index: usize, w: usize, n: i32, winners: i32, C: i32, H: i32, W: i32, F: i32, K: i32, OH: i32, OW: i32, scratch: usize): void { convInputAt<f32>(to, c, index, w, n, winners, C, H, W, F, K, OH, OW, scratch) }
export function convInputAt_f64(to: usize, c: usize, index: usize, w: usize, n: i32, winners: i32, C: i32, H: i32, W: i32, F: i32, K: i32, OH: i32, OW: i32, scratch: usize): void { convInputAt<f64>(to, c, index, w, n, winners, C, H, W, F, K, OH, OW, scratch) }
export function poolIndex_f32(to: usize, x: usize, n: i32, C: i32, H: i32, W: i32, size: i32, stride: i32, OH: i32, OW: i32): void { poolIndex<f32>(to, x, n, C, H, W, size, stride, OH, OW) }
export function poolIndex_f64(to: usize, x: usize, n: i32, C: i32, H: i32, W: i32, size: i32, stride: i32, OH: i32, OW: i32): void { poolIndex<f64>(to, x, n, C, H, W, size, stride, OH, OW) }
export function pick_f32(to: usize, from: usize, index: usize, rows: i32, cols: i32, fromCols: i32): void { pick<f32>(to, from, index, rows, cols, fromCols) }
export function pick_f64(to: usize, from: usize, index: usize, rows: i32, cols: i32, fromCols: i32): void { pick<f64>(to, from, index, rows, cols, fromCols) }
export function place_f32(to: usize, from: usize, index: usize, rows: i32, cols: i32, toCols: i32): void { place<f32>(to, from, index, rows, cols, toCols) }
export function place_f64(to: usize, from: usize, index: usize, rows: i32, cols: i32, toCols: i32): void { place<f64>(to, from, index, rows, cols, toCols) }
export function repeatEach_f32(to: usize, from: usize, n: i32, times: i32): void { repeatEach<f32>(to, from, n, times) }
export function repeatEach_f64(to: usize, from: usize, n: i32, times: i32): void { repeatEach<f64>(to, from, n, times) }
export function rowDot_f32(to: usize, a: usize, b: usize, rows: i32, cols: i32): void { rowDot<f32>(to, a, b, rows, cols) }
export function adam_f32(to: usize, grad: usize, first: usize, second: usize, n: i32, settings: usize): void { adam<f32>(to, grad, first, second, n, settings) }
export function rowDot_f64(to: usize, a: usize, b: usize, rows: i32, cols: i32): void { rowDot<f64>(to, a, b, rows, cols) }
export function adam_f64(to: usize, grad: usize, first: usize, second: usize, n: i32, settings: usize): void { adam<f64>(to, grad, first, second, n, settings) }
export function sparseNt_f32(c: usize, x: usize, w: usize, m: i32, n: i32, k: i32, extra: usize, mode: i32, scratch: usize): void { sparseNt<f32>(c, x, w, m, n, k, extra, mode, scratch) }
export function sparseNt_f64(c: usize, x: usize, w: usize, m: i32, n: i32, k: i32, extra: usize, mode: i32, scratch: usize): void { sparseNt<f64>(c, x, w, m, n, k, extra, mode, scratch) }
export function sparseTn_f32(c: usize, d: usize, x: usize, m: i32, n: i32, p: i32, alphaAt: usize, mode: i32, scratch: usize): void { sparseTn<f32>(c, d, x, m, n, p, alphaAt, mode, scratch) }
export function sparseTn_f64(c: usize, d: usize, x: usize, m: i32, n: i32, p: i32, alphaAt: usize, mode: i32, scratch: usize): void { sparseTn<f64>(c, d, x, m, n, p, alphaAt, mode, scratch) }
export function sparseRowSquares_f32(to: usize, x: usize, m: i32): void { sparseRowSquares<f32>(to, x, m) }
export function sparseRowSquares_f64(to: usize, x: usize, m: i32): void { sparseRowSquares<f64>(to, x, m) }

// Dense linear algebra, f64 only. Meaning: src/numeric/dense-kernels.ts.
export { maxAbs as dense_maxAbs, loadColumns as dense_loadColumns, loadRows as dense_loadRows, storeColumns as dense_storeColumns, unitColumns as dense_unitColumns, scaleColumn as dense_scaleColumn, dotColumns as dense_dotColumns } from './columns'
export { factorQr as dense_factorQr, applyQ as dense_applyQ } from './householder'
export { decompose as dense_decompose, decomposeRoom as dense_decomposeRoom, wantedExponent as dense_wantedExponent, batchRoom as dense_batchRoom, conditionBatch as dense_conditionBatch } from './svd'
export { solveTriangular as dense_solveTriangular, estimateTriangle as dense_estimateTriangle } from './triangular'
export { factorLu as dense_factorLu, factorCholesky as dense_factorCholesky } from './elimination'
export { symmetricEigen as dense_symmetricEigen, eigenRoom as dense_eigenRoom } from './tridiagonal'
export { divideInto as dense_divideInto, invertLower as dense_invertLower, columnProducts as dense_columnProducts, throughInverse as dense_throughInverse } from './covariance'

// The measured limit of the machine (`overhear bench`).
import { peak } from './peak'
export function peak_f32(at: usize, n: i32): void { peak<f32>(at, n) }
export function peak_f64(at: usize, n: i32): void { peak<f64>(at, n) }

// Records read where they lie.
import { pickedNt, pickedRowSquares, pickedTn } from './picked'
export function pickedNt_f32(y: usize, x: usize, w: usize, m: i32, k: i32): void { pickedNt<f32>(y, x, w, m, k) }
export function pickedNt_f64(y: usize, x: usize, w: usize, m: i32, k: i32): void { pickedNt<f64>(y, x, w, m, k) }
export function pickedTn_f32(c: usize, d: usize, x: usize, m: i32, k: i32, alphaAt: usize, mode: i32): void { pickedTn<f32>(c, d, x, m, k, alphaAt, mode) }
export function pickedTn_f64(c: usize, d: usize, x: usize, m: i32, k: i32, alphaAt: usize, mode: i32): void { pickedTn<f64>(c, d, x, m, k, alphaAt, mode) }
export function pickedRowSquares_f32(to: usize, x: usize, m: i32, k: i32): void { pickedRowSquares<f32>(to, x, m, k) }
export function pickedRowSquares_f64(to: usize, x: usize, m: i32, k: i32): void { pickedRowSquares<f64>(to, x, m, k) }

// Long rows, in doubles. Meaning: src/numeric/row-kernels.ts.
export { rowMoments as rows_moments, packRows as rows_pack, rowProducts as rows_products, weightRows as rows_weigh } from './rows'

// Per-record gradients by their factors. Meaning: src/numeric/engine/column-kernels.ts.
export { blendRows as columns_blendRows, alongRoom as columns_alongRoom, columnsAlong as columns_along, sumRoom as columns_sumRoom, columnsSum as columns_sum, gramRoom as columns_gramRoom, gramAdd as columns_gramAdd } from './record-columns'
export { gramSingleRoom as columns_gramSingleRoom, gramAddSingle as columns_gramAddSingle, tiledRoom as columns_tiledRoom, intoTiles as columns_intoTiles, addTiles as columns_addTiles } from './gram-single'
export { descendShares as columns_descendShares } from './share-descent'
// A sampler's chain. Meaning: src/attacks/properties/posterior/gibbs-chain.ts.
export { settle as gibbs_settle, run as gibbs_run } from './gibbs'
export { fillNormals as draws_normals, fillGammas as draws_gammas, fillIntegers as draws_integers } from './philox'
export { noiseScratch as draws_noiseRoom, addNormals as draws_noise64 } from './noise'
export { addQuickNormals as draws_quickNoise } from './quick-normals'
export { fillMask_f32 as draws_mask32, fillMask_f64 as draws_mask64 } from './noise'
// Sums modulo 2^32. Meaning: src/numeric/engine/word-sums.ts.
export { addWords as words_add, subtractWords as words_subtract } from './words'
