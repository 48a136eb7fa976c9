import { openRandom, type Random } from './random.ts'

/** Colleagues take part in many sessions. Two have names that are also words of dates. */
export const COLLEAGUES = [
  'Ada Novak',
  'Ben Carter',
  'Clara Jensen',
  'Dmitri Volkov',
  'Esther Okafor',
  'Felix Hoffmann',
  'Grace Lindqvist',
  'Hiro Tanaka',
  'May Collins',
  'Mark Sullivan',
  'Priya Raman',
  'Tom Whitfield'
]

const FIRST_NAMES =
  'José Zoë Łukasz Søren François Ngọc Åsa Břetislav İpek Núria André Chloé Jürgen Mónica Đorđe Éva Günther Hélène Íñigo Jiří Kateřina Loïc Márta Noémie Óscar Paweł Renée Šárka Tomáš Ursula Valérie Wanda Xavier Yvonne Andreas Beatrix Damian Leonora Matteo Sandrine'
const LAST_NAMES =
  'García Müller Wójcik Kjær Lefèvre Nguyễn Öberg Dvořák Yılmaz Peña Almeida Bäcker Çelik Domínguez Einarsson Fernández Gößmann Håkansson Ibáñez Jørgensen Kovács Löfgren Muñoz Nováková Ørsted Pérez Quiñones Řezník Strauß Tóth Ünal Vásquez Wałęsa Zieliński Castellano Eriksson Hartmann Lombardi Richardson Stephenson'

/** Makes a guest for each session. No two guests share both names, though several share each. */
export function makeGuests(count: number): string[] {
  const random = openRandom(11)
  const [first, last] = [FIRST_NAMES.split(' '), random.shuffle(LAST_NAMES.split(' '))]
  return Array.from(
    { length: count },
    (_, n) => `${first[n % first.length]} ${last[(n + Math.floor(n / first.length) * 7) % last.length]}`
  )
}

const LETTERS: Record<string, string> = { ł: 'l', ø: 'o', đ: 'd', ß: 'ss', æ: 'ae', ı: 'i', Ł: 'L', Ø: 'O', Đ: 'D' }

/** Returns the name as typed on a keyboard without accents. */
export function withoutAccents(name: string) {
  const plain = name.normalize('NFD').replace(/\p{M}+/gu, '')
  return plain.replace(/[łøđßæıŁØĐ]/g, letter => LETTERS[letter] ?? letter)
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz'

/** Drops, doubles, replaces or swaps one letter of the word; never the first letter. */
export function withTypo(word: string, random: Random) {
  for (;;) {
    const at = 1 + random.below(word.length - 2)
    const [before, letter, next, after] = [word.slice(0, at), word[at] ?? '', word[at + 1] ?? '', word.slice(at + 2)]
    const typo = random.pick([
      before + next + after,
      before + letter + letter + next + after,
      before + random.pick([...ALPHABET]) + next + after,
      before + next + letter + after
    ])
    if (typo !== word) return typo
  }
}
