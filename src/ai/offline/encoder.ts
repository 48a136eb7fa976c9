import {
  add,
  concat,
  cos,
  fused,
  gather,
  keep,
  matMul,
  mean,
  moments,
  mul,
  range,
  reshape,
  rsqrt,
  sin,
  slice,
  softmax,
  split,
  sub,
  type Tensor,
  tanh,
  tensor1d,
  tidy,
  transpose
} from '@energetic-ai/core'
import type { EmbeddingsModel } from '@energetic-ai/embeddings'
import { meanDirection } from './passages.ts'

const MOST_PIECES = 128
const HEADS = 4
/** Added to a variance, so that none is divided by nothing. */
const EPSILON = 1e-6

/**
 * The model's own pass over one text: two layers of a transformer, the mean of what they say of each piece, and a last layer.
 * Asked as the graph that the model comes as, the library takes as long to walk its 317 nodes, most of which only reckon
 * shapes, as to multiply; and it pads every text to the longest beside it. Gives 512 numbers, of length one but for rounding.
 */
export function openEncoder({ model, tokenizer }: EmbeddingsModel): (text: string) => number[] {
  const weights = weightsOf(model.weights)
  const positions = keep(tidy(() => positionsOf(weights.frequencies)))

  return text =>
    tidy(() => {
      const pieces = tokenizer.encode(text).slice(0, MOST_PIECES)
      const meanings = gather(weights.pieces, tensor1d(pieces, 'int32'))
      const placed = add(mul(meanings, 2), slice(positions, 0, pieces.length))
      const wide = transformed(placed, weights.first, dense(placed, weights.widen))
      const read = transformed(wide, weights.second, wide)
      return meanDirection([[...tanh(dense(mean(read, 0, true), weights.last)).dataSync()]])
    })
}

interface Dense {
  kernel: Tensor
  bias: Tensor
}

interface Norm {
  scale: Tensor
  bias: Tensor
}

interface Layer {
  norm: Norm
  queriesKeysValues: Dense
  attended: Dense
  innerNorm: Norm
  inner: Dense
  outer: Dense
}

function transformed(rows: Tensor, layer: Layer, residual: Tensor) {
  const attention = attend(dense(normed(rows, layer.norm), layer.queriesKeysValues))
  const seen = add(dense(attention, layer.attended), residual)
  return add(dense(dense(normed(seen, layer.innerNorm), layer.inner, 'relu'), layer.outer), seen)
}

function dense(rows: Tensor, { kernel, bias }: Dense, activation: 'linear' | 'relu' = 'linear') {
  return fused.matMul({ a: rows, b: kernel, bias, activation })
}

function normed(rows: Tensor, { scale, bias }: Norm) {
  const { mean, variance } = moments(rows, 1, true)
  return add(mul(mul(sub(rows, mean), rsqrt(add(variance, EPSILON))), scale), bias)
}

function attend(queriesKeysValues: Tensor) {
  const length = queriesKeysValues.shape[0] ?? 0
  const width = (queriesKeysValues.shape[1] ?? 0) / 3
  const [queries, keys, values] = split(queriesKeysValues, 3, 1).map(part => transpose(reshape(part, [length, HEADS, -1]), [1, 0, 2]))
  if (!queries || !keys || !values) throw new Error('attention needs queries, keys and values')
  const shares = softmax(mul(matMul(queries, keys, false, true), 1 / Math.sqrt(width / HEADS)))
  return reshape(transpose(matMul(shares, values), [1, 0, 2]), [length, width])
}

/** Where in the text a piece stands, as sines and cosines of its place at each frequency. */
function positionsOf(frequencies: Tensor) {
  const angles = mul(reshape(range(0, MOST_PIECES), [MOST_PIECES, 1]), frequencies)
  return concat([sin(angles), cos(angles)], 1)
}

/** The tensors of the model by what they are for; the names are those of its file. */
function weightsOf(stored: Record<string, Tensor[]>) {
  const encode = 'Encoder_en/KonaTransformer/Encode'
  const constant = `module_apply_default/${encode}`

  function named(name: string) {
    const [tensor] = stored[name] ?? []
    if (!tensor) throw new Error(`the model has no ${name}`)
    return tensor
  }

  const matrix = (name: string) => {
    const tensor = named(name)
    return keep(reshape(tensor, tensor.shape.slice(-2)))
  }
  const joined = (name: string) => named(`${name}/ConcatPartitions/concat`)

  function layer(at: number): Layer {
    const own = `${constant}/Layer_${at}/TransformerLayer`
    const norm = (place: string) => ({
      scale: joined(`${own}/${place}layer_prepostprocess/layer_norm/layer_norm_scale`),
      bias: joined(`${own}/${place}layer_prepostprocess/layer_norm/layer_norm_bias`)
    })
    const attention = (part: string) => ({
      kernel: matrix(`module/${encode}/Layer_${at}/TransformerLayer/MultiheadAttention/${part}/kernel/part_0`),
      bias: joined(`${own}/MultiheadAttention/${part}/bias`)
    })
    const feed = (part: string) => ({
      kernel: named(`${constant}/TransformerStack/Layer_${at}/TransformerLayer/FFN/${part}/Tensordot/Reshape_1`),
      bias: joined(`${own}/FFN/${part}/bias`)
    })
    return {
      norm: norm(''),
      queriesKeysValues: attention('qkv_transform_single'),
      attended: attention('output_transform_single'),
      innerNorm: norm('FFN/'),
      inner: feed('conv1'),
      outer: feed('conv2')
    }
  }

  return {
    pieces: named('module/Embeddings_en'),
    frequencies: named(`${constant}/TransformerStack/Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1`),
    widen: {
      kernel: joined(`${constant}/Layer_0/TransformerLayer/dense/kernel`),
      bias: joined(`${constant}/Layer_0/TransformerLayer/dense/bias`)
    },
    first: layer(0),
    second: layer(1),
    last: {
      kernel: named('module/Encoder_en/hidden_layers/tanh_layer_0/weights'),
      bias: named('module/Encoder_en/hidden_layers/tanh_layer_0/bias')
    }
  }
}
