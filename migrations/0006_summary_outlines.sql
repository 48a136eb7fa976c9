CREATE TABLE "summaries" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"outline" jsonb,
	"item_sources" jsonb NOT NULL,
	"title" text,
	"model" text,
	"prompt_version" text,
	"input_tokens" integer,
	"output_tokens" integer,
	"made_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "summaries_user_id_session_id_pk" PRIMARY KEY("user_id","session_id")
);
--> statement-breakpoint
ALTER TABLE "summaries" ADD CONSTRAINT "summaries_session_fk" FOREIGN KEY ("user_id","session_id") REFERENCES "public"."sessions"("user_id","session_id") ON DELETE cascade ON UPDATE no action;