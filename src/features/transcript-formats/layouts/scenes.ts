/** Words that announce a sound or a scene where others have the name of a speaker. */
const SCENES = new Set(
  (
    'break breaks jingle jingles intro outro theme song songs music sound sounds clip clips slide slides sponsor sponsors ad ads advert advertisement ' +
    'commercial commercials trailer promo teaser applause laughter transition interlude bumper sting audio video film recording ' +
    'pause silence credits narration voiceover extract excerpt track'
  ).split(' ')
)
/** These are also no names behind other words, as in `Old Show Intro`. */
const SURE = new Set(
  'track extract excerpt jingle intro outro clip theme trailer commercial teaser promo sting'.split(' ')
)
const SAMPLES = new Set(
  'extract sample clip effect effects bite break excerpt begins ends starts stops resumes'.split(' ')
)

/** Returns whether a label announces a sound or a scene, and not a speaker: `Break`, `Jingle`, `Song extract`. */
export function isScene(label: string) {
  if (label.length > 60) return false
  const words = label
    .toLowerCase()
    .replace(/[[\]().]/g, '')
    .split(/[\s-]+/)
    .filter(word => word !== '' && word !== 'the' && !/^\d+$/.test(word))
  const [first = '', last = ''] = [words[0], words.at(-1)]
  if (words.length === 1) return SCENES.has(first)
  return SURE.has(last) || (words.length === 2 && SCENES.has(first) && SAMPLES.has(last))
}
