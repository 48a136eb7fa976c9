import { wordKey } from './fold.ts'

/** The forms in which something is heard, and what is meant. */
export interface Term {
  heard: readonly string[]
  meant: string
}

/** Replaces terms in a text. */
interface TermMatcher {
  /** Returns the text with every heard form replaced. Applying it to its own result changes nothing. */
  correct(text: string): string
}

/** Scripts written without spaces between words, of which each character counts as a word. Katakana writes foreign names, whole. */
const DENSE =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}'
const LETTER = `[[\\p{L}\\p{N}_]--[${DENSE}]]`
/** With combining marks, and what joins letters without being seen. */
const INNER = `[[\\p{L}\\p{N}\\p{M}_\\u200c\\u200d\\u00ad]--[${DENSE}]]`
/** An apostrophe inside a word, but not that of a possessive; the full stop, comma or colon of a number. */
const JOINT = `(?:['’](?![sS](?!${INNER}))|(?<=\\p{N})[.,:](?=\\p{N}))`
/** The article of a French or Italian name. */
const ELISION = `(?:[cdjlmnstCDJLMNST]|[qQ]u)['’](?=\\p{L}{2})`
const TOKEN = `\\s+|${ELISION}|${LETTER}${INNER}*(?:${JOINT}${LETTER}${INNER}*)*|[${DENSE}]\\p{M}*|.\\p{M}*`
const TOKENS = new RegExp(TOKEN, 'gsv')
const TOKENS_AND_EMOJI = new RegExp(`\\p{RGI_Emoji}|${TOKEN}`, 'gsv')
const HAS_EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u

interface Token {
  text: string
  start: number
  end: number
}

/** Splits a text into words, runs of white space, and other characters. */
function tokensOf(text: string): Token[] {
  return [...text.matchAll(HAS_EMOJI.test(text) ? TOKENS_AND_EMOJI : TOKENS)].map(({ 0: found, index }) => ({
    text: found,
    start: index,
    end: index + found.length
  }))
}

/** The comparison key of a form: two forms with one key match the same texts. */
export function formKey(form: string) {
  return keysOf(form.trim()).join('\u0000')
}

function keysOf(form: string) {
  return tokensOf(form).map(({ text }) => keyOf(text))
}

function keyOf(token: string) {
  return /^\s/.test(token) ? ' ' : wordKey(token)
}

/** Longer results are refused: a text is left as it is. */
const MAX_CHARACTERS = 1_000_000
/** A term whose result is heard once more with its neighbours is replaced so often. */
const MAX_PASSES = 8

/**
 * Makes one matcher of all terms, which takes time linear in the text, whatever the terms are. Where several forms begin, the longest one is
 * replaced. What is meant, and each text of `kept`, stays where it is written already, even if a heard form is a part of it.
 */
export function openTermMatcher(terms: readonly Term[], kept: readonly string[] = []): TermMatcher {
  const automaton = openAutomaton()
  for (const { heard, meant } of terms) {
    const meantKeys = keysOf(meant)
    for (const form of heard) {
      const keys = keysOf(form.trim())
      const isOtherCase = keys.join('\u0000') === meantKeys.join('\u0000')
      automaton.add(keys, said => (isOtherCase ? meant : inCaseOf(said, meant)))
    }
  }
  for (const text of [...terms.map(({ meant }) => meant), ...kept]) automaton.add(keysOf(text), said => said)
  automaton.link()

  function correctOnce(text: string) {
    const tokens = tokensOf(text)
    const found = automaton.findLongest(tokens)
    if (!found) return text
    let corrected = ''
    let done = 0
    for (let at = 0; at < tokens.length && corrected.length <= MAX_CHARACTERS; at++) {
      const form = found[at]
      if (!form) continue
      const start = tokens[at]?.start ?? 0
      at += form.length - 1
      const end = tokens[at]?.end ?? text.length
      corrected += text.slice(done, start) + form.replace(text.slice(start, end))
      done = end
    }
    return corrected + text.slice(done)
  }

  return {
    correct(text) {
      let current = text
      for (let pass = 0; pass < MAX_PASSES; pass++) {
        const next = correctOnce(current)
        if (next === current) return current
        if (next.length > Math.max(MAX_CHARACTERS, text.length)) return text
        current = next
      }
      return text
    }
  }
}

/** Writes what is meant in the case of what was said. A meaning with a capital letter has its own case. */
function inCaseOf(said: string, meant: string) {
  if (/\p{Lu}/u.test(meant)) return meant
  const letters = said.match(/\p{Lu}|\p{Ll}/gu) ?? []
  if (letters.length > 1 && letters.every(letter => /\p{Lu}/u.test(letter))) return meant.toUpperCase()
  return /\p{Lu}/u.test(letters[0] ?? '') ? meant.replace(/\p{Ll}/u, letter => letter.toUpperCase()) : meant
}

interface Form {
  /** The number of its tokens. */
  length: number
  replace(said: string): string
}

interface Node {
  next: Map<number, Node>
  /** The node of the longest proper suffix. */
  fail: Node | undefined
  /** The longest form that ends here. */
  form: Form | undefined
}

const newNode = (): Node => ({ next: new Map(), fail: undefined, form: undefined })

/** Texts have so many different words in memory at most. */
const MAX_KNOWN = 100_000

/**
 * An Aho-Corasick automaton over the words of forms in reverse. Read from its end, a text leads to the longest form that begins at each word,
 * so that the leftmost-longest forms need no second look at any word.
 */
function openAutomaton() {
  const root = newNode()
  const ids = new Map<string, number>()
  const known = new Map<string, number>()

  /** The number of a word; 0 for one of no form. */
  function idOf(token: string) {
    const before = known.get(token)
    if (before !== undefined) return before
    if (known.size >= MAX_KNOWN) known.clear()
    const id = ids.get(keyOf(token)) ?? 0
    known.set(token, id)
    return id
  }

  return {
    /** Adds a form, unless it is known. */
    add(keys: readonly string[], replace: Form['replace']) {
      let node = root
      for (const key of keys.toReversed()) {
        const id = ids.get(key) ?? ids.size + 1
        ids.set(key, id)
        const next = node.next.get(id) ?? newNode()
        node.next.set(id, next)
        node = next
      }
      if (node !== root) node.form ??= { length: keys.length, replace }
    },
    /** Completes the automaton, breadth first. */
    link() {
      const queue = [root]
      for (const node of queue)
        for (const [id, next] of node.next) {
          next.fail = node === root ? root : stepFrom(node.fail ?? root, id)
          next.form ??= next.fail.form
          queue.push(next)
        }
    },
    /** Returns the longest form that begins at each token; undefined if there is none. */
    findLongest(tokens: readonly Token[]) {
      const found: (Form | undefined)[] = []
      let any = false
      let node = root
      for (let at = tokens.length - 1; at >= 0; at--) {
        const id = idOf(tokens[at]?.text ?? '')
        node = id === 0 ? root : stepFrom(node, id)
        found[at] = node.form
        any ||= node.form !== undefined
      }
      return any ? found : undefined
    }
  }

  function stepFrom(from: Node, id: number): Node {
    let node: Node | undefined = from
    while (node) {
      const next = node.next.get(id)
      if (next) return next
      node = node.fail
    }
    return root
  }
}
