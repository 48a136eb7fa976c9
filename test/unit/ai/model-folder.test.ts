import { cpSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { TextInput } from '../../../src/platform/ai/ai.ts'
import { openFolderEmbeddings } from '../../../src/platform/ai/embedder/local-embeddings.ts'
import { readModelFolder } from '../../../src/platform/ai/embedder/model-folder.ts'
import { OperatorError } from '../../../src/platform/core/operator-error.ts'
import {
  graphOf,
  type ModelOptions,
  POSITIONS,
  poolingGraph,
  wordVector,
  writeModelFolder
} from '../../support/model-folder.ts'

const parent = mkdtempSync(join(tmpdir(), 'parlance-model-folder-'))
afterAll(() => rmSync(parent, { recursive: true }))

const NO_PREFIXES = { query: undefined, passage: undefined }
const CLS = { '1_Pooling/config.json': { pooling_mode_cls_token: true, pooling_mode_mean_tokens: false } }
const newFolder = (options?: ModelOptions) => writeModelFolder(mkdtempSync(join(parent, 'model-')), options)

/** The vectors of the texts by the model in the folder. */
async function embed(
  folder: string,
  texts: string[],
  input: TextInput = 'passage',
  prefixes = NO_PREFIXES as Record<TextInput, string | undefined>
) {
  const embeddings = await openFolderEmbeddings(folder, prefixes)
  const vectors = await embeddings.embed(texts, undefined, input).finally(() => embeddings.close())
  expect(embeddings.embedder?.dimension).toBe(vectors[0]?.length)
  return vectors
}

/** The vector of unit length that points where the sum of the words does. */
function toward(words: string, sign = 1) {
  const sum = words
    .split(' ')
    .reduce((sum, word) => sum.map((value, at) => value + wordVector(word)[at]!), Array(8).fill(0))
  return sum.map(value => expect.closeTo((sign * value) / Math.hypot(...sum), 5))
}

const nameOf = async (folder: string, prefixes: Partial<Record<TextInput, string>> = {}) =>
  (await readModelFolder(folder, { ...NO_PREFIXES, ...prefixes })).name

test('a text has the mean of its tokens, marks included, unless the folder says otherwise', async () => {
  const files = {
    '1_Pooling/config.json': {
      word_embedding_dimension: 8,
      pooling_mode_cls_token: false,
      pooling_mode_mean_tokens: true
    }
  }
  const vectors = [toward('[CLS] the soil is dry . [SEP]'), toward('[CLS] [UNK] [SEP]')]
  expect(await embed(newFolder({ files }), ['The soil is dry.', 'unheard'])).toEqual(vectors)
  expect(await embed(newFolder({ weights: 'model.onnx' }), ['The soil is dry.', 'unheard'])).toEqual(vectors)
})

test.each([CLS, { '1_Pooling/config.json': { pooling_mode: 'cls' } }])(
  'with the pooling %j a text has the vector of its first token',
  async files => {
    expect(await embed(newFolder({ files }), ['The soil is dry.'])).toEqual([toward('[CLS]')])
  }
)

test('a graph with a sentence embedding pools by itself', async () => {
  expect(await embed(newFolder({ graph: poolingGraph(), weights: 'onnx/model_quantized.onnx' }), ['the soil'])).toEqual(
    [toward('[CLS] the soil [SEP]', -1)]
  )
})

test('texts of every script are embedded', async () => {
  const [russian, empty] = await embed(newFolder(), ['Почва сухая', ''])
  expect([russian, empty]).toEqual([toward('[CLS] почва сухая [SEP]'), toward('[CLS] [SEP]')])
})

test('queries and passages get their prompts; a setting wins', async () => {
  const folder = newFolder({
    files: { 'config_sentence_transformers.json': { prompts: { query: 'query: ', document: 'passage: ' } } }
  })
  expect(await embed(folder, ['soil'], 'query')).toEqual([toward('[CLS] query : soil [SEP]')])
  expect(await embed(folder, ['soil'], 'passage')).toEqual([toward('[CLS] passage : soil [SEP]')])
  expect(await embed(folder, ['soil'], 'passage', { query: undefined, passage: 'word ' })).toEqual([
    toward('[CLS] word soil [SEP]')
  ])
  const usual = newFolder({
    files: { 'config_sentence_transformers.json': { prompts: { x: 'word ' }, default_prompt_name: 'x' } }
  })
  expect(await embed(usual, ['soil'], 'query')).toEqual([toward('[CLS] word soil [SEP]')])
})

test('of a long text the beginning is read, as much as the model takes', async () => {
  const short = newFolder({ files: { 'sentence_bert_config.json': { max_seq_length: 8 } } })
  expect(await embed(short, ['the soil is dry '.repeat(1_000)])).toEqual([
    toward('[CLS] the soil is dry the soil [SEP]')
  ])
  const words = 'soil '.repeat(POSITIONS - 2)
  expect(await embed(newFolder(), [words.repeat(9)])).toEqual([toward(`[CLS] ${words}[SEP]`)])
})

test('the name follows from all that the vectors of passages depend on, and from nothing else', async () => {
  const folder = newFolder()
  const name = await nameOf(folder)
  expect(name).toMatch(/^local-[0-9a-f]{16}$/)
  const moved = join(parent, 'moved')
  cpSync(folder, moved, { recursive: true })
  writeFileSync(join(moved, 'README.md'), 'A model')
  expect(await nameOf(moved)).toBe(name)
  expect(await nameOf(folder, { query: 'query: ' })).toBe(name)
  const others = [
    nameOf(newFolder({ seed: 2 })),
    nameOf(newFolder({ files: CLS })),
    nameOf(newFolder({ files: { 'sentence_bert_config.json': { max_seq_length: 8 } } })),
    nameOf(folder, { passage: 'passage: ' }),
    nameOf(newFolder({ files: { 'config_sentence_transformers.json': { prompts: { passage: 'text: ' } } } }))
  ]
  expect(new Set([name, ...(await Promise.all(others))]).size).toBe(others.length + 1)
})

test.each<[string, (folder: string) => void, string]>([
  [
    'no folder',
    folder => rmSync(folder, { recursive: true }),
    'there is no folder FOLDER; download a model into it, or correct the path'
  ],
  [
    'a file',
    folder => {
      rmSync(folder, { recursive: true })
      writeFileSync(folder, '')
    },
    'FOLDER is a file; name the folder that contains the model'
  ],
  [
    'no weights',
    folder => rmSync(join(folder, 'onnx'), { recursive: true }),
    'FOLDER has no onnx/model.onnx or model.onnx or onnx/model_quantized.onnx; download all files of the model again'
  ],
  [
    'no tokenizer',
    folder => rmSync(join(folder, 'tokenizer.json')),
    'FOLDER has no tokenizer.json; download all files of the model again'
  ],
  [
    'a file that cannot be read',
    folder => mkdirSync(join(folder, 'onnx/model.onnx_data')),
    'FOLDER/onnx/model.onnx_data cannot be read (Error: EISDIR: illegal operation on a directory, read); '
  ],
  [
    'weights that are cut off',
    folder => truncateSync(join(folder, 'onnx/model.onnx'), 300),
    'the model in FOLDER does not work; download it again, or choose another one (The offline model failed: '
  ],
  [
    'a broken tokenizer',
    folder => writeFileSync(join(folder, 'tokenizer.json'), '{}'),
    'the model in FOLDER does not work; download it again, or choose another one (The offline model failed: '
  ],
  [
    'broken JSON',
    folder => writeFileSync(join(folder, 'config.json'), '{'),
    'FOLDER/config.json cannot be read (SyntaxError: '
  ],
  [
    'a pooling that is neither mean nor cls',
    folder => writeModelFolder(folder, { files: { '1_Pooling/config.json': { pooling_mode_lasttoken: true } } }),
    'FOLDER needs the pooling pooling_mode_lasttoken; choose a model with mean or cls'
  ],
  [
    'a layer after the pooling',
    folder =>
      writeModelFolder(folder, { files: { 'modules.json': [{ idx: 2, type: 'sentence_transformers.models.Dense' }] } }),
    'FOLDER needs sentence_transformers.models.Dense, which this server does not have; choose a model without it'
  ],
  [
    'a window that is longer than the graph takes',
    folder => writeModelFolder(folder, { files: { 'sentence_bert_config.json': { max_seq_length: POSITIONS + 1 } } }),
    'the model in FOLDER does not work; download it again, or choose another one (The offline model failed: '
  ],
  [
    'a graph that wants what a text does not have',
    folder => writeModelFolder(folder, { graph: { ...graphOf(1), inputs: [...graphOf(1).inputs, 'pixel_values'] } }),
    'the model in FOLDER does not work; download it again, or choose another one (The offline model failed: The model wants an input pixel_values'
  ]
])('%s is refused with one sentence', async (_, spoil, sentence) => {
  const folder = newFolder()
  spoil(folder)
  const error = await openFolderEmbeddings(folder, NO_PREFIXES).catch((error: Error) => error)
  expect(error).toBeInstanceOf(OperatorError)
  expect(error).toMatchObject({
    message: expect.stringContaining(`EMBEDDING_MODEL: ${sentence.replaceAll('FOLDER', folder)}`)
  })
  expect(error).toMatchObject({ message: expect.not.stringContaining('\n') })
})
