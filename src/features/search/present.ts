import type { LexicalScore } from './candidates.ts'

/** Words that ask for the state of today. */
const NOW = [
  'now|still|currently|current|latest|newest|recent|recently|yet|anymore|at the moment|by now|these days|so far',
  'jetzt|derzeit|aktuelle?[nrs]?|momentan|noch|inzwischen|mittlerweile|neueste[nrs]?',
  'maintenant|actuellement|actuelle?s?|encore|toujours|en ce moment',
  'ahora|actualmente|actual|todavía|aún|adesso|ancora|attualmente|agora|ainda|atualmente|nog|momenteel'
].join('|')
const SAYS_NOW = new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${NOW})(?![\p{L}\p{N}])|现在|目前|最新|今は|現在|まだ`, 'iu')
/** Questions in the present tense. */
const ASKS_NOW =
  /^[\s¿]*(?:(?:what|where|who|how|which|when) (?:is|are|does|do)|is|are|isn't|aren't|does|do|has|have|hasn't|haven't|ist|sind|hat|haben|funktioniert|est-ce|está|están|es|hay)(?![\p{L}\p{N}'’])/iu
/** Longer texts are no questions. */
const MAX_QUESTION = 300

/** True if a query asks about the present, so that a newer answer replaces an older one. */
export function asksAboutPresent(query: string) {
  return query.length <= MAX_QUESTION && (SAYS_NOW.test(query) || ASKS_NOW.test(query))
}

const FIRST_PAGE = 10
/** The newest of the best thirty results about the subject have the last places of the first page. */
const CONSIDERED = 30
const NEWEST = 3
/** Sessions with less of the best lexical score are probably about something else. */
const ABOUT_SUBJECT = 1 / 3

/** Moves the newest of the best sessions to the end of the first page if they are not on it; the others keep their order. */
export function withNewest<One extends Pick<LexicalScore, 'sessionId' | 'score' | 'at'>>(
  ranked: readonly One[],
  limit: number
): One[] {
  const page = Math.min(limit, FIRST_PAGE)
  const most = Math.min(NEWEST, Math.floor(page / 2))
  const best = Math.max(...ranked.slice(0, CONSIDERED).map(({ score }) => score))
  const newest = ranked
    .slice(0, CONSIDERED)
    .filter(({ score }) => score > 0 && score >= ABOUT_SUBJECT * best)
    .toSorted((a, b) => b.at - a.at)
    .slice(0, most)
  const later = newest.filter(one => ranked.indexOf(one) >= page)
  const rest = ranked.filter(one => !later.includes(one))
  // The places before them must not push out one of the newest that is on the page already.
  const kept = rest.slice(0, page).filter(one => newest.includes(one))
  const others = rest.slice(0, page).filter(one => !newest.includes(one))
  const pushed = new Set(others.slice(page - kept.length - later.length))
  return [...rest.slice(0, page).filter(one => !pushed.has(one)), ...later, ...pushed, ...rest.slice(page)]
}
