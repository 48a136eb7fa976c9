import { GERMAN } from './de.ts'
import { ENGLISH } from './en.ts'
import { SPANISH } from './es.ts'
import { FRENCH } from './fr.ts'
import { type Lexicon, NEVER, setOf } from './lexicon.ts'
import { DUTCH, ITALIAN, PORTUGUESE } from './others.ts'

export const LEXICONS: readonly Lexicon[] = [ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH]

/** For languages without a lexicon: nothing is known of their words, and the minutes have English headings. */
const UNKNOWN: Lexicon = {
  ...DUTCH,
  code: '',
  stop: setOf(''),
  light: setOf(''),
  openers: NEVER,
  badEnds: setOf(''),
  nounLeads: setOf(''),
  empty: NEVER,
  decided: /(?:決定しました|決まりました|决定|決定)/u,
  open: NEVER,
  words: ENGLISH.words
}

/** Enough of other languages in Latin letters not to take them for one of the seven. */
export const NEIGHBOURS: Readonly<Record<string, ReadonlySet<string>>> = {
  sv: setOf(
    'och att det är som en på för med av inte den till var jag har vi om så men ett kan man när eller vad hur också skulle från där'
  ),
  da: setOf('og at det er en på for med af ikke den til jeg har vi om så men et kan man når eller hvad hvordan også skulle fra der blev'),
  no: setOf('og å det er en på for med av ikke den til jeg har vi om så men et kan man når eller hva hvordan også skulle fra der ble'),
  fi: setOf('ja on ei se että mutta niin kun olen hän mitä tämä ovat oli kanssa myös vain jos tai minä sinä me ne siitä joka'),
  pl: setOf('i w nie to na się że jest z do jak co ale tak po za od czy już tylko jestem są był może tego przez dla mamy'),
  cs: setOf('a v se na je že to s z do jak ale tak po za od už jen jsem jsou byl může pro máme ne si co být jako když'),
  tr: setOf('ve bir bu da de için ile çok ne var mi ama daha gibi kadar sonra ben sen biz şey değil olarak evet hayır'),
  ro: setOf('și în la de cu nu că este pe sunt un o din mai pentru ce se am are dar sau când să care fost asta'),
  hu: setOf('a az és hogy nem is van egy ez de meg már csak még volt ha mert vagy igen mint lesz kell'),
  id: setOf('yang dan di ini itu dengan untuk tidak dari dalam akan pada juga saya kami kita ada bisa adalah ke atau sudah'),
  ca: setOf('i el la de que no és en un per amb els les del una però com si més ha són hi aquest aquesta tot molt')
}

export function lexiconOf(language: string | null): Lexicon {
  return LEXICONS.find(({ code }) => code === language) ?? (language === null ? ENGLISH : UNKNOWN)
}
