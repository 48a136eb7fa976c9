import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { encodeModel, FLOAT, type Graph } from '../../ops/embedding-model/onnx.ts'

/** The id of a token is its index. Words that are not here are `[UNK]`. */
const VOCABULARY = [
  '[PAD]',
  '[UNK]',
  '[CLS]',
  '[SEP]',
  ':',
  '.',
  'query',
  'passage',
  'ready',
  'word',
  'the',
  'soil',
  'is',
  'dry',
  'почва',
  'сухая'
]
export const WIDTH = 8
export const POSITIONS = 32

export interface ModelOptions {
  /** Another seed makes other weights. */
  seed?: number
  /** Other files of the folder, by their names. */
  files?: Record<string, unknown>
  /** The path of the graph. */
  weights?: string
  graph?: Graph
}

/** Writes a small model in Hugging Face's layout: it knows a few words and reads `POSITIONS` tokens. */
export function writeModelFolder(
  folder: string,
  { seed = 1, files = {}, weights = 'onnx/model.onnx', graph = graphOf(seed) }: ModelOptions = {}
) {
  write(join(folder, weights), Buffer.concat(encodeModel(graph)))
  const contents = {
    'tokenizer.json': tokenizer(),
    'config.json': { max_position_embeddings: POSITIONS + 2 },
    ...files
  }
  for (const [name, content] of Object.entries(contents)) write(join(folder, name), JSON.stringify(content))
  return folder
}

function write(path: string, content: string | Buffer) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

/** Returns the vector of a word in the graph. No two words have the same vector. */
export function wordVector(word: string, seed = 1) {
  const id = Math.max(VOCABULARY.indexOf(word), 1)
  return Array.from({ length: WIDTH }, (_, place) => Math.sin(1 + seed * 31 + id * 7 + place * place * 3))
}

/** Words of type 1, and words that the attention mask excludes, get other vectors. Positions have none, but they are limited. */
export function graphOf(seed: number): Graph {
  const rows = VOCABULARY.flatMap(word => wordVector(word, seed))
  const zeros = (count: number) => Array(count * WIDTH).fill(0)
  return {
    inputs: ['input_ids', 'attention_mask', 'token_type_ids', 'position_ids'],
    output: 'last_hidden_state',
    operators: [
      { type: 'Gather', inputs: ['words', 'input_ids'], outputs: ['word'] },
      { type: 'Gather', inputs: ['masks', 'attention_mask'], outputs: ['mask'] },
      { type: 'Gather', inputs: ['types', 'token_type_ids'], outputs: ['type'] },
      { type: 'Gather', inputs: ['positions', 'position_ids'], outputs: ['position'] },
      { type: 'Mul', inputs: ['word', 'mask'], outputs: ['masked'] },
      { type: 'Add', inputs: ['masked', 'type'], outputs: ['typed'] },
      { type: 'Add', inputs: ['typed', 'position'], outputs: ['last_hidden_state'] }
    ],
    weights: [
      { name: 'words', dims: [VOCABULARY.length, WIDTH], data: Float32Array.from(rows) },
      { name: 'masks', dims: [2, WIDTH], data: Float32Array.from([...zeros(1), ...Array(WIDTH).fill(1)]) },
      { name: 'types', dims: [2, WIDTH], data: Float32Array.from([...zeros(1), ...Array(WIDTH).fill(9)]) },
      { name: 'positions', dims: [POSITIONS, WIDTH], data: Float32Array.from(zeros(POSITIONS)) }
    ]
  }
}

/** A graph that pools by itself: its sentence embedding is the opposite of the sum of its words. */
export function poolingGraph(): Graph {
  const words = VOCABULARY.flatMap(word => wordVector(word).map(value => -value))
  return {
    inputs: ['input_ids', 'attention_mask'],
    output: 'sentence_embedding',
    operators: [
      { type: 'Gather', inputs: ['words', 'input_ids'], outputs: ['word'] },
      { type: 'Cast', inputs: ['attention_mask'], outputs: ['mask'], attributes: { to: FLOAT } },
      { type: 'MatMul', inputs: ['mask', 'word'], outputs: ['sum'] },
      { type: 'Flatten', inputs: ['sum'], outputs: ['sentence_embedding'], attributes: { axis: 1 } }
    ],
    weights: [{ name: 'words', dims: [VOCABULARY.length, WIDTH], data: Float32Array.from(words) }]
  }
}

function tokenizer() {
  const special = ['[PAD]', '[UNK]', '[CLS]', '[SEP]']
  return {
    version: '1.0',
    added_tokens: special.map((content, id) => ({
      id,
      content,
      special: true,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false
    })),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [
        { SpecialToken: { id: '[CLS]', type_id: 0 } },
        { Sequence: { id: 'A', type_id: 0 } },
        { SpecialToken: { id: '[SEP]', type_id: 0 } }
      ],
      pair: [],
      special_tokens: {
        '[CLS]': { id: '[CLS]', ids: [2], tokens: ['[CLS]'] },
        '[SEP]': { id: '[SEP]', ids: [3], tokens: ['[SEP]'] }
      }
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(VOCABULARY.map((word, id) => [word, id]))
    }
  }
}
