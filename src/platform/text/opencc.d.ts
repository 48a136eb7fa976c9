declare module 'opencc-js/dict/TSCharacters' {
  /** Pairs of a traditional character and its simplified forms: `鐵 铁|乾 干 乾`. */
  const pairs: string
  export default pairs
}
