ALTER TABLE "transcripts" ADD COLUMN "version" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "transcripts" ADD COLUMN "original" jsonb;