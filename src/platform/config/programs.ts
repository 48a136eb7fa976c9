/** Finds the folders of programs such as ffmpeg. They get nothing else of the environment, which holds secrets. */
export function findPrograms({ PATH }: Record<string, string | undefined> = process.env) {
  return { programPath: PATH }
}
