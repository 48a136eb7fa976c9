import { FLOAT, type Graph, type Operator, RUNTIME, type Weights } from './onnx.ts'
import { quantizeRows, transpose } from './quantize.ts'

const WIDTH = 384
const INNER_WIDTH = 1536
const HEADS = 12
const LAYERS = 6
const EPSILON = 1e-12

/** The positions that the server uses: the model was trained on texts of at most this many tokens. */
const MAX_TOKENS = 128

/** The graph of all-MiniLM-L6-v2, a BERT encoder, with quantized matrices. `numbersOf` has the package's tensors, row by row. */
export function toBundledGraph(numbersOf: (tensor: string) => Float32Array): Graph {
  const weights: Weights[] = []
  const operators: Operator[] = []

  function add(name: string, dims: number[], data: Weights['data']) {
    weights.push({ name, dims, data })
    return name
  }

  function apply(type: string, inputs: string[], attributes: Record<string, number> = {}, domain?: string) {
    const output = `${type}_${operators.length}`
    operators.push({ type, inputs, outputs: [output], attributes, ...(domain && { domain }) })
    return output
  }

  /** Several linear layers side by side, of `width` inputs each. */
  function linear(name: string, parts: string[], width: number) {
    const { data, scales } = quantizeRows(join(parts.map(part => numbersOf(`${part}.weight`))), width)
    const bias = join(parts.map(part => numbersOf(`${part}.bias`)))
    return {
      weight: add(`${name}.weight`, [width, scales.length], transpose(data, width)),
      scale: add(`${name}.scale`, [scales.length], scales),
      bias: add(`${name}.bias`, [bias.length], bias)
    }
  }

  function dense(input: string, name: string, width: number) {
    const { weight, scale, bias } = linear(name, [name], width)
    return apply('DynamicQuantizeMatMul', [input, weight, scale, '', bias], {}, RUNTIME)
  }

  function norm(name: string) {
    return ['weight', 'bias'].map(part => add(`${name}.norm.${part}`, [WIDTH], numbersOf(`${name}.LayerNorm.${part}`)))
  }

  function attend(input: string, layer: string) {
    const parts = ['query', 'key', 'value'].map(part => `${layer}.attention.self.${part}`)
    const { weight, scale, bias } = linear(`${layer}.attention`, parts, WIDTH)
    const quantized = ['data', 'scale', 'zero'].map(part => `${layer}.quantized.${part}`)
    operators.push({ type: 'DynamicQuantizeLinear', inputs: [input], outputs: quantized })
    const [data = '', inputScale = '', zero = ''] = quantized
    return apply('QAttention', [data, weight, bias, inputScale, scale, '', zero], { num_heads: HEADS }, RUNTIME)
  }

  function embedTokens() {
    const { data, scales } = quantizeRows(numbersOf('embeddings.word_embeddings.weight'), WIDTH)
    const words = add('words', [scales.length, WIDTH], data)
    const wordScales = add('words.scale', [scales.length, 1], scales)
    // All tokens are of the first type, so its vector is added to those of the positions.
    const type = numbersOf('embeddings.token_type_embeddings.weight')
    const places = numbersOf('embeddings.position_embeddings.weight').subarray(0, MAX_TOKENS * WIDTH)
    const typed = places.map((value, at) => value + (type[at % WIDTH] ?? 0))
    const positions = add('positions', [MAX_TOKENS, WIDTH], typed)
    const whole = apply('Cast', [apply('Gather', [words, 'input_ids'])], { to: FLOAT })
    const word = apply('Mul', [whole, apply('Gather', [wordScales, 'input_ids'])])
    const sum = apply('Add', [word, apply('Gather', [positions, 'position_ids'])])
    return apply('LayerNormalization', [sum, ...norm('embeddings')], { epsilon: EPSILON })
  }

  function addNorm(output: string, residual: string, name: string) {
    return apply('SkipLayerNormalization', [output, residual, ...norm(name)], { epsilon: EPSILON }, RUNTIME)
  }

  let hidden = embedTokens()
  for (let n = 0; n < LAYERS; n++) {
    const layer = `encoder.layer.${n}`
    const attended = dense(attend(hidden, layer), `${layer}.attention.output.dense`, WIDTH)
    hidden = addNorm(attended, hidden, `${layer}.attention.output`)
    const inner = apply('Gelu', [dense(hidden, `${layer}.intermediate.dense`, WIDTH)], {}, RUNTIME)
    hidden = addNorm(dense(inner, `${layer}.output.dense`, INNER_WIDTH), hidden, `${layer}.output`)
  }
  return { inputs: ['input_ids', 'position_ids'], output: hidden, operators, weights }
}

/** Parts of the same length, one after the other. */
function join(parts: Float32Array[]) {
  const joined = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0))
  for (const [at, part] of parts.entries()) joined.set(part, at * part.length)
  return joined
}
