/** How a page's server is asked for, and what is had then. */

export interface JobLimits {
  /** Audits that run at once: each takes all cores. */
  readonly running: number
  /** Audits that wait in line. */
  readonly waiting: number
}

export interface UploadLimits {
  /** Bytes of one file. */
  readonly file: number
  /** Bytes and files of all uploads together. */
  readonly bytes: number
  readonly files: number
}

export interface ServerOptions {
  readonly host: string
  /** 0: one that is free. */
  readonly port: number
  /** The folder of runs. */
  readonly root: string
  readonly limits?: JobLimits
  readonly uploadLimits?: UploadLimits
  /** Arguments of the command for every audit. */
  readonly always?: readonly string[]
}

export interface PageServer {
  readonly url: string
  /** Ends what runs, and hangs up. */
  close(): Promise<void>
}
