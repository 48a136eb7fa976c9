import { isBlank, oneLine } from '../../contract/text.ts'
import { clockTime } from '../../platform/text/clock-text.ts'
import type { Segment } from '../../platform/text/segment.ts'

/** A sound, a scene or a silence that a model describes in brackets: `[BLANK_AUDIO]`, `(wind blowing)`, `*music*`. */
const DESCRIBED =
  /\[[^[\]]{0,200}\]|\([^()]{0,200}\)|（[^（）]{0,200}）|【[^【】]{0,200}】|<\|[^<>|]{0,50}\|>|(?<!\*)\*[^*]{1,200}\*/gu
const NOTES = /[♩♪♫♬🎵🎶]/gu
/** Descriptions that no speaker says, left out also where words stand beside them. */
const SURELY =
  /\[\s*(?:blank[ _]audio|silence|music|no[ _]speech|inaudible[ _]audio|sound|noise)\s*\]|<\|[^<>|]{0,50}\|>|[♩♪♫♬🎵🎶]/giu

/** Sentences that speech models write for silence, because the captions that they learned from end with them. */
const STOCK = [
  'thank you',
  'thank you very much',
  'thank you so much',
  'thanks',
  'thank you for watching',
  'thanks for watching',
  'thank you so much for watching',
  'thank you for listening',
  'thanks for listening',
  'please subscribe',
  'please subscribe to my channel',
  'please like and subscribe',
  'like and subscribe',
  'dont forget to like and subscribe',
  'subscribe',
  'see you next time',
  'see you in the next video',
  'ill see you in the next video',
  'bye',
  'bye bye',
  'you',
  'the end',
  'vielen dank',
  'vielen dank fürs zuschauen',
  'danke fürs zuschauen',
  'bis zum nächsten mal',
  'merci',
  'merci davoir regardé cette vidéo',
  'merci davoir regardé',
  'à bientôt',
  'gracias',
  'gracias por ver el video',
  'gracias por ver',
  'suscríbete',
  'obrigado',
  'obrigado por assistir',
  'até a próxima',
  'grazie',
  'grazie per la visione',
  'grazie per aver guardato il video',
  'bedankt voor het kijken',
  'tack för att ni tittade',
  'tak fordi du så med',
  'dziękuję za uwagę',
  'dziękuję za obejrzenie',
  'děkuji za pozornost',
  'teşekkürler',
  'izlediğiniz için teşekkürler',
  'izlediğiniz için teşekkür ederim',
  'спасибо за просмотр',
  'спасибо за внимание',
  'продолжение следует',
  'до свидания',
  'дякую за перегляд',
  'ご視聴ありがとうございました',
  'ご視聴いただきありがとうございます',
  'ありがとうございました',
  'おやすみなさい',
  '謝謝觀看',
  '谢谢观看',
  '感谢观看',
  '感謝觀看',
  '谢谢大家',
  '請不吝點贊訂閱轉發打賞支持明鏡與點點欄目',
  '请不吝点赞订阅转发打赏支持明镜与点点栏目',
  '시청해주셔서 감사합니다',
  '감사합니다',
  'شكرا للمشاهدة',
  'اشتركوا في القناة',
  'תודה על הצפייה',
  'धन्यवाद'
]

/** Credits of captions, in any language: they name who made them. */
const CREDITS =
  /amara ?org|subtitles? by|captions? by|transcri(?:bed|ption) by|untertitel(?:ung)? (?:der|des|von|im auftrag)|sous titr(?:es|age)|subt[ií]tulos (?:por|realizados)|legendas? (?:por|pela)|sottotitoli (?:a cura|creati|e revisione)|субтитры|редактор субтитров|字幕(?:by|由|志愿者|製作|制作)|napisy stworzone|altyaz[iı] m ?k|titulky vytvořil/u

const known = new Set(STOCK.map(toKey))

function toWords(text: string) {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim()
}

/** Letters and digits only. */
function toKey(text: string) {
  return toWords(text).replaceAll(' ', '')
}

/** Each sentence is one of these: a model often writes several. */
function isStock(text: string) {
  const sentences = text
    .split(/[.!?。！？…\n]+/u)
    .map(toKey)
    .filter(sentence => sentence !== '')
  if (sentences.length === 0) return false
  return sentences.every(sentence => known.has(sentence)) || CREDITS.test(toWords(text))
}

/** Returns whether a text only describes sounds. */
function isDescription(text: string) {
  return isBlank(
    text
      .replace(DESCRIBED, '')
      .replace(NOTES, '')
      .replace(/[\p{P}\p{S}\s]+/gu, '')
  )
}

export interface Spoken {
  segments: Segment[]
  /** The segments that are no speech, a sentence each. */
  left: string[]
}

/**
 * Leaves out what is no speech in the answer of a transcription server. `hasVoice` says whether somebody may speak in a segment: only where nobody does
 * are the sentences that models write for silence left out.
 */
export function leaveOutNoSpeech(segments: readonly Segment[], hasVoice: (segment: Segment) => boolean): Spoken {
  const spoken: Segment[] = []
  const left: string[] = []
  for (const segment of segments) {
    const text = withoutSounds(segment.text)
    if (isDescription(text)) left.push(toWarning(segment, 'it is not speech'))
    else if (isStock(text) && !hasVoice(segment)) left.push(toWarning(segment, 'nobody speaks there'))
    else {
      if (text !== segment.text) left.push(toWarning(segment, 'a part of it is not speech'))
      spoken.push({ ...segment, text })
    }
  }
  return { segments: spoken, left }
}

function withoutSounds(text: string) {
  const without = text.replace(SURELY, ' ')
  return without === text ? text : oneLine(without).trim()
}

const MAX_SHOWN = 80

function toWarning({ start, text }: Segment, reason: string) {
  const shown = oneLine(text).trim()
  const short = shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN - 1).toWellFormed()}…` : shown
  const place = start === null ? '' : ` at ${clockTime(start)}`
  return `${short}${place} ${reason.startsWith('a part') ? 'is shortened' : 'is left out'}, because ${reason}.`
}
