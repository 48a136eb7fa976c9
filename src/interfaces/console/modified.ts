import { z } from 'zod'

/** When a browser says that the file of a form was last changed. It is a guess at best, so one that can't be read refuses nothing. */
export const Modified = z
  .string()
  .pipe(z.iso.datetime())
  .transform(text => new Date(text))
  .optional()
  .catch(undefined)
