/** Seven bits: processors without VNNI saturate when they add products of eight. */
const MAX_WEIGHT = 63

/** Quantizes each row of `width` numbers to integers, with the scale to multiply them by. */
export function quantizeRows(values: Float32Array, width: number) {
  const scales = new Float32Array(values.length / width)
  const data = new Int8Array(values.length)
  for (let row = 0; row < scales.length; row++) {
    let largest = 0
    for (let at = row * width; at < (row + 1) * width; at++) largest = Math.max(largest, Math.abs(values[at] ?? 0))
    const scale = Math.fround((largest || 1) / MAX_WEIGHT)
    scales[row] = scale
    for (let at = row * width; at < (row + 1) * width; at++) data[at] = Math.round((values[at] ?? 0) / scale)
  }
  return { data, scales }
}

/** Turns rows of `width` numbers into columns. */
export function transpose(data: Int8Array, width: number): Int8Array {
  const rows = data.length / width
  const turned = new Int8Array(data.length)
  for (let row = 0; row < rows; row++)
    for (let at = 0; at < width; at++) turned[at * rows + row] = data[row * width + at] ?? 0
  return turned
}
