CREATE TABLE "unknown_speakers" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"name_key" text NOT NULL,
	CONSTRAINT "unknown_speakers_user_id_name_key_session_id_pk" PRIMARY KEY("user_id","name_key","session_id")
);
--> statement-breakpoint
ALTER TABLE "unknown_speakers" ADD CONSTRAINT "unknown_speakers_session_fk" FOREIGN KEY ("user_id","session_id") REFERENCES "public"."sessions"("user_id","session_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "unknown_speakers_session" ON "unknown_speakers" USING btree ("user_id","session_id");