/** The layers of an encoder as ONNX operators: from ids of tokens to a vector for each of them. */
export interface Graph {
  /** Names of tensors of ids. */
  inputs: string[]
  output: string
  operators: Operator[]
  weights: Weights[]
}

export interface Operator {
  type: string
  domain?: string
  /** An empty name leaves an optional input out. */
  inputs: string[]
  outputs: string[]
  attributes?: Record<string, number>
}

export interface Weights {
  name: string
  dims: number[]
  data: Float32Array | Int8Array
}

/** The domain of operators that ONNX Runtime adds to the standard. */
export const RUNTIME = 'com.microsoft'
/** Types of elements, as ONNX numbers them. */
export const FLOAT = 1
const INT8 = 3
const INT64 = 7

/** The bytes of an ONNX file, a message of protocol buffers, in parts. The field numbers are those of onnx.proto. */
export function encodeModel({ inputs, output, operators, weights }: Graph): Uint8Array[] {
  const encodeValue = (name: string, type: number) => [
    ...text(1, name),
    ...message(2, message(1, varintField(1, type)))
  ]
  const graph = [
    ...operators.flatMap(operator => message(1, encodeOperator(operator))),
    ...text(2, 'encoder'),
    ...weights.flatMap(each => message(5, encodeWeights(each))),
    ...inputs.flatMap(name => message(11, encodeValue(name, INT64))),
    ...message(12, encodeValue(output, FLOAT))
  ]
  const versions = Object.entries({ '': 17, [RUNTIME]: 1 }).flatMap(([domain, version]) =>
    message(8, [...text(1, domain), ...varintField(2, version)])
  )
  return [...varintField(1, 8), ...message(7, graph), ...versions]
}

function encodeOperator({ type, domain = '', inputs, outputs, attributes = {} }: Operator) {
  return [
    ...inputs.flatMap(input => text(1, input)),
    ...outputs.flatMap(output => text(2, output)),
    ...text(4, type),
    ...Object.entries(attributes).flatMap(([name, value]) => message(5, [...text(1, name), ...encodeAttribute(value)])),
    ...text(7, domain)
  ]
}

function encodeAttribute(value: number) {
  if (Number.isInteger(value)) return [...varintField(3, value), ...varintField(20, 2)]
  return [varint((2 << 3) | 5), new Uint8Array(Float32Array.of(value).buffer), ...varintField(20, 1)]
}

function encodeWeights({ name, dims, data }: Weights) {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  const type = data instanceof Int8Array ? INT8 : FLOAT
  return [
    ...dims.flatMap(size => varintField(1, size)),
    ...varintField(2, type),
    ...text(8, name),
    ...message(9, [bytes])
  ]
}

function message(field: number, parts: Uint8Array[]) {
  return [varint((field << 3) | 2), varint(parts.reduce((sum, { length }) => sum + length, 0)), ...parts]
}

function text(field: number, value: string) {
  return message(field, [Buffer.from(value)])
}

function varintField(field: number, value: number) {
  return [varint(field << 3), varint(value)]
}

function varint(value: number) {
  const bytes = []
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Uint8Array.from([...bytes, rest])
}
