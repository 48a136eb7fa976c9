import { UnreadableTranscript } from './transcript.ts'

/** A format that is not read, by the begin of its files in lower case, or by its extension. Bytes that are not UTF-8 are windows-1252. */
interface OtherFormat {
  name: string
  beginnings?: readonly string[]
  extensions?: readonly string[]
  send: string
}

const AS_TEXT = 'save its text as .txt and send that'
const AS_CAPTIONS = 'convert it to .srt or .vtt and send that'
const AS_ELAN = 'export it as tab-delimited text or as .srt, and send that'
const AS_RECORDING = 'send a recording under its own extension, such as .mp3'

const OTHER_FORMATS: readonly OtherFormat[] = [
  {
    name: 'SubStation Alpha (ASS)',
    beginnings: ['[script info]', '[v4+ styles]'],
    extensions: ['ass', 'ssa'],
    send: AS_CAPTIONS
  },
  { name: 'Scenarist captions (SCC)', beginnings: ['scenarist_scc'], extensions: ['scc'], send: AS_CAPTIONS },
  {
    name: 'Scenarist captions (MCC)',
    beginnings: ['file format=macaption_mcc'],
    extensions: ['mcc'],
    send: AS_CAPTIONS
  },
  {
    name: 'Spruce or EBU subtitles (STL)',
    beginnings: ['$fontname', '$font', '437stl', '850stl', '860stl', '863stl', '865stl'],
    extensions: ['stl'],
    send: AS_CAPTIONS
  },
  {
    name: 'MicroDVD or VobSub subtitles (SUB)',
    beginnings: ['{0}{', '{1}{', '# vobsub index'],
    extensions: ['sub', 'idx'],
    send: AS_CAPTIONS
  },
  { name: 'SAMI subtitles (SMI)', beginnings: ['<sami'], extensions: ['smi', 'sami'], send: AS_CAPTIONS },
  { name: 'a subtitle format of broadcasters', extensions: ['pac', 'cap', '890', 'ult', 'sup'], send: AS_CAPTIONS },
  { name: 'a zip archive, as .odt, .xlsx and .pages are', beginnings: ['pk\x03\x04'], send: AS_TEXT },
  {
    name: 'an older Office document, such as .doc',
    beginnings: ['ðï\x11à¡±\x1aá'],
    extensions: ['doc', 'xls', 'ppt'],
    send: AS_TEXT
  },
  { name: 'a PDF', beginnings: ['%pdf-'], extensions: ['pdf'], send: AS_TEXT },
  { name: 'an RTF document', beginnings: ['{\\rtf'], extensions: ['rtf'], send: AS_TEXT },
  {
    name: 'a web page',
    beginnings: [
      '<!doctype html',
      '<html>',
      '<html ',
      '<head>',
      '<body',
      '<meta ',
      '<div',
      '<table',
      '<section',
      '<article',
      '<p>',
      '<p '
    ],
    extensions: ['html', 'htm', 'mhtml'],
    send: AS_TEXT
  },
  {
    name: 'compressed',
    beginnings: ['\x1f‹', "7z¼¯'\x1c", 'rar!\x1a', 'bzh', 'ý7zxz'],
    extensions: ['gz', '7z', 'rar', 'bz2', 'xz', 'zip'],
    send: AS_TEXT
  },
  {
    name: 'an image',
    beginnings: ['‰png', 'ÿøÿ', 'gif8'],
    extensions: ['png', 'jpg', 'jpeg', 'gif', 'heic', 'webp'],
    send: AS_TEXT
  },
  { name: 'an e-mail', extensions: ['eml', 'msg', 'mbox'], send: AS_TEXT },
  {
    name: 'a video project',
    beginnings: ['<?xml version="1.0" encoding="utf-8"?>\n<!doctype fcpxml', '<fcpxml', '<xmeml'],
    extensions: ['fcpxml', 'prproj', 'aup3', 'drp', 'drt', 'sesx'],
    send: AS_CAPTIONS
  },
  { name: 'an annotation of ELAN', beginnings: ['<annotation_document'], extensions: ['eaf', 'etf'], send: AS_ELAN },
  {
    name: 'a TextGrid of Praat',
    beginnings: ['file type = "ootextfile"', '"praat chronological'],
    extensions: ['textgrid', 'intervaltier', 'collection'],
    send: AS_CAPTIONS
  },
  {
    name: 'a CHAT transcript of CLAN (TalkBank)',
    beginnings: ['@utf8', '@begin'],
    extensions: ['cha'],
    send: AS_CAPTIONS
  },
  {
    name: 'a transcription of EXMARaLDA',
    beginnings: ['<basic-transcription'],
    extensions: ['exb', 'exs'],
    send: AS_TEXT
  },
  { name: 'a transcription of Transcriber', beginnings: ['<trans'], extensions: ['trs'], send: AS_TEXT },
  {
    name: 'a project of NVivo, MAXQDA or ATLAS.ti',
    extensions: ['nvp', 'nvpx', 'qdpx', 'mx22', 'mx24', 'atlproj23'],
    send: AS_TEXT
  },
  { name: 'a document of InqScribe', extensions: ['inqscr'], send: AS_TEXT },
  {
    name: 'a recording without its extension',
    beginnings: ['riff', 'id3', 'oggs', 'flac', '\x1aeß£'],
    send: AS_RECORDING
  }
]

const CHAT = /^(?:\d{4}-\d{2}-\d{2} )?\d{1,2}:\d{2}:\d{2}\s+from .{1,100}(?: to .{1,100}:| : )/

const SAMPLE = 4096
const COMMENTS = /^(?:\s*<!--[^>]{0,2000}-->)+/

/** Throws for a file whose content is of a format that is not read, or not text. */
export function refuseOtherContent(text: string, extension: string) {
  const sample = text.slice(0, SAMPLE)
  const beginning = sample.replace(COMMENTS, '').trimStart().toLowerCase()
  const found = OTHER_FORMATS.find(({ beginnings = [] }) => beginnings.some(known => beginning.startsWith(known)))
  if (found) throw refused(found)
  if (CHAT.test(beginning))
    throw new UnreadableTranscript('The file is the chat of a meeting, and not its speech: send the transcript.')
  const controls = sample.match(/[^\P{Cc}\s]/gu)?.length ?? 0
  if (controls > sample.length / 20) throw refusalOf(extension) ?? new UnreadableTranscript(NOT_TEXT)
}

/** Throws for XML whose root element is of a format that is known and not read. */
export function refuseOtherXml(root: string) {
  const beginning = `<${root.toLowerCase()}`
  const found = OTHER_FORMATS.find(({ beginnings = [] }) => beginnings.some(known => known.trimEnd() === beginning))
  if (found) throw refused(found)
}

/** Throws for a file that is of no known format by its content, and of another one by its extension. */
export function refuseOtherExtension(text: string, extension: string) {
  const refusal = refusalOf(extension)
  if (refusal) throw refusal
  if (!TEXT_EXTENSIONS.has(extension) && !readsLikeText(text.slice(0, SAMPLE))) throw unknownFormat(extension)
}

/** These are read as text without a look at it. */
const TEXT_EXTENSIONS = new Set(['', 'txt', 'text', 'md', 'markdown', 'vtt', 'srt', 'json', 'docx', 'lrc'])
const SYMBOLS = /[{}<>=\\|$^`~_\uFFFD]/g
const WORD = /[\p{L}\p{M}\p{N}'’.,-]+/gu
/** No language with blanks between words has words so long, on average. */
const MAX_WORD = 20

/** Returns whether a text is more likely speech than data or a program. */
function readsLikeText(sample: string) {
  const letters = sample.match(/\p{L}/gu)?.length ?? 0
  const words = sample.match(WORD) ?? []
  const isLatin = (sample.match(/[a-z]/gi)?.length ?? 0) > letters / 2
  if (isLatin && letters / Math.max(words.length, 1) > MAX_WORD) return false
  return letters >= sample.trim().length / 2 && (sample.match(SYMBOLS)?.length ?? 0) < sample.length / 50
}

const NOT_TEXT =
  'The file is not plain text: send a .vtt, .srt, .txt or .json file, or a recording under its own extension, such as .mp3.'

function unknownFormat(extension: string) {
  return new UnreadableTranscript(
    `The format .${extension.slice(0, 20)} is not read, and the file does not read like text: send the conversation as .vtt, .srt, .txt or .json.`
  )
}

function refusalOf(extension: string) {
  const named = OTHER_FORMATS.find(({ extensions = [] }) => extensions.includes(extension))
  return named && refused(named)
}

function refused({ name, send }: OtherFormat) {
  return new UnreadableTranscript(`The file is ${name}: ${send}.`)
}
