/**
 * An estimate of the tokens of a text: four ASCII characters each, two of the other alphabets, one of Chinese, Japanese,
 * Korean, Indic and Thai script. No tokenizer fits every server, so budgets leave room.
 */
export function tokensOf(text: string): number {
  let tokens = 0
  for (let at = 0; at < text.length; at++) tokens += codeUnitTokens(text.charCodeAt(at))
  return tokens
}

/** The longest beginning of the text within the budget, of one character at least. */
export function cutToTokens(text: string, budget: number): string {
  let tokens = 0
  let end = 0
  for (const character of text) {
    tokens += tokensOf(character)
    if (tokens > budget && end > 0) return text.slice(0, end)
    end += character.length
  }
  return text
}

function codeUnitTokens(codeUnit: number) {
  return codeUnit < 0x80 ? 0.25 : codeUnit < 0x900 ? 0.5 : 1
}

/** Groups neighbours, as many as the budget and the count allow; an item over the budget is a group of its own. */
export function pack<T>(
  items: T[],
  sizeOf: (item: T) => number,
  budget: number,
  maxCount = Number.POSITIVE_INFINITY
): T[][] {
  const groups: T[][] = []
  let used = 0
  for (const item of items) {
    const size = sizeOf(item)
    const group = groups.at(-1)
    if (group && used + size <= budget && group.length < maxCount) {
      group.push(item)
      used += size
    } else {
      groups.push([item])
      used = size
    }
  }
  return groups
}
