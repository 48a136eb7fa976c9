/** Whether there is nothing to see in the text: a zero-width space is as blank as a space. */
export function isBlank(text: string) {
  return !/[^\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(text)
}
