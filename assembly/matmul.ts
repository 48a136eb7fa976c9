// The product of matrices that the offline model spends its time in, in AssemblyScript. `npx asc --config assembly/asconfig.json` compiles it to src/ai/embedder/matmul.wasm.

/** Bytes of a number, and of eight of them. */
const NUMBER: usize = 4
const EIGHT: usize = 8 * NUMBER

/**
 * rows × inner of `a` by inner × columns of `panels`, plus `bias`, to `out`. Addresses and strides (from a row to the next) are in bytes.
 * Eight columns of the right matrix make a panel: their first row, their second, and so on. Rows are even and at least four, columns a
 * multiple of eight.
 */
export function multiply(
  a: usize,
  stride: usize,
  panels: usize,
  bias: usize,
  out: usize,
  outStride: usize,
  rows: usize,
  inner: usize,
  columns: usize,
  relu: bool
): void {
  for (let column: usize = 0; column < columns; column += 8) {
    let left = rows
    let from = a
    let to = out
    // Of rows that are even, sixes and fours leave none over.
    while (left >= 6 && left !== 8) {
      multiplyRows<Six>(from, stride, panels, bias, to, outStride, inner, relu)
      from += 6 * stride
      to += 6 * outStride
      left -= 6
    }
    while (left > 0) {
      multiplyRows<Four>(from, stride, panels, bias, to, outStride, inner, relu)
      from += 4 * stride
      to += 4 * outStride
      left -= 4
    }
    panels += inner * EIGHT
    bias += EIGHT
    out += EIGHT
  }
}

/** How many rows at once, told by a type of its own size: what is asked of a type is answered while compiling, and nothing of it stays in the loop. */
type Four = i32
type Six = i64

/** Sums stay in the processor's registers, twelve of its sixteen for six rows; it multiplies and adds in one step where it can. */
function multiplyRows<Rows>(
  a: usize,
  stride: usize,
  panel: usize,
  bias: usize,
  out: usize,
  outStride: usize,
  inner: usize,
  relu: bool
): void {
  let left0 = v128.load(bias)
  let right0 = v128.load(bias, 16)
  let left1 = left0
  let right1 = right0
  let left2 = left0
  let right2 = right0
  let left3 = left0
  let right3 = right0
  let left4 = left0
  let right4 = right0
  let left5 = left0
  let right5 = right0
  let a0 = a
  let a1 = a0 + stride
  let a2 = a1 + stride
  let a3 = a2 + stride
  let a4 = a3 + stride
  let a5 = a4 + stride
  const end = a + inner * NUMBER
  while (a0 < end) {
    const left = v128.load(panel)
    const right = v128.load(panel, 16)
    let value = v128.load32_splat(a0)
    left0 = f32x4.relaxed_madd(value, left, left0)
    right0 = f32x4.relaxed_madd(value, right, right0)
    value = v128.load32_splat(a1)
    left1 = f32x4.relaxed_madd(value, left, left1)
    right1 = f32x4.relaxed_madd(value, right, right1)
    value = v128.load32_splat(a2)
    left2 = f32x4.relaxed_madd(value, left, left2)
    right2 = f32x4.relaxed_madd(value, right, right2)
    value = v128.load32_splat(a3)
    left3 = f32x4.relaxed_madd(value, left, left3)
    right3 = f32x4.relaxed_madd(value, right, right3)
    if (sizeof<Rows>() === sizeof<Six>()) {
      value = v128.load32_splat(a4)
      left4 = f32x4.relaxed_madd(value, left, left4)
      right4 = f32x4.relaxed_madd(value, right, right4)
      value = v128.load32_splat(a5)
      left5 = f32x4.relaxed_madd(value, left, left5)
      right5 = f32x4.relaxed_madd(value, right, right5)
      a4 += NUMBER
      a5 += NUMBER
    }
    panel += EIGHT
    a0 += NUMBER
    a1 += NUMBER
    a2 += NUMBER
    a3 += NUMBER
  }
  put(out, left0, right0, relu)
  put(out + outStride, left1, right1, relu)
  put(out + 2 * outStride, left2, right2, relu)
  put(out + 3 * outStride, left3, right3, relu)
  if (sizeof<Rows>() === sizeof<Six>()) {
    put(out + 4 * outStride, left4, right4, relu)
    put(out + 5 * outStride, left5, right5, relu)
  }
}

function put(out: usize, left: v128, right: v128, relu: bool): void {
  const none = f32x4.splat(0)
  v128.store(out, relu ? f32x4.max(left, none) : left)
  v128.store(out, relu ? f32x4.max(right, none) : right, 16)
}
