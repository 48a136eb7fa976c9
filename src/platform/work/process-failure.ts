/** The reason with which work is aborted when an error ends the process. The work may have caused it. */
export class ProcessFailure extends Error {}
