/** The context of a model that no name tells: that of small models on servers of one's own. */
const UNKNOWN_TOKENS = 32_000
/** The instructions with their schema, and the shortest useful answer. */
const RESERVED_TOKENS = 3_500
/** Estimates of tokens differ from the model's by about a fifth, and the answer grows with the part. */
const USED = 0.8
/** About four hours of speech. In longer texts models overlook more, and their answers reach the limit of what they write. */
const MAX_PART_TOKENS = 60_000
const MIN_PART_TOKENS = 400

/** The contexts of models whose servers give all of it, by the beginning of their names. */
const BY_NAME: [name: RegExp, tokens: number][] = [
  [/^gpt-3\.5/, 16_000],
  [/^gpt-4(?:-0|-32k|$)/, 8_000],
  [/^gpt-4\.1/, 1_000_000],
  [/^(?:gpt-4o|gpt-4-|chatgpt-4o|o1-mini|o1-preview)/, 128_000],
  [/^(?:gpt-[5-9]|o\d)/, 200_000],
  [/^claude-/, 200_000],
  [/^gemini-/, 1_000_000],
  [/^(?:mistral-(?:large|medium|small)|command-(?:r|a)|deepseek-|grok-)/, 64_000]
]

/** The tokens that a model reads and writes in one request, by its name. A provider's name before a slash is left out. */
export function contextTokensOf(model: string): number {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  return BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? UNKNOWN_TOKENS
}

/** The tokens of a transcript in one request to a model with this context. */
export function partTokensOf(contextTokens: number): number {
  const tokens = Math.floor((contextTokens - RESERVED_TOKENS) * USED)
  return Math.min(Math.max(tokens, MIN_PART_TOKENS), MAX_PART_TOKENS)
}
