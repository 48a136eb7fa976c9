CREATE TABLE "summary_template_defaults" (
	"user_id" text NOT NULL,
	"kind" text NOT NULL,
	"value" text NOT NULL,
	"template_id" text NOT NULL,
	"folder_id" text,
	CONSTRAINT "summary_template_defaults_user_id_kind_value_pk" PRIMARY KEY("user_id","kind","value")
);
--> statement-breakpoint
CREATE TABLE "summary_templates" (
	"user_id" text NOT NULL,
	"template_id" text NOT NULL,
	"name" text NOT NULL,
	"name_key" text NOT NULL,
	"language" text,
	"sections" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "summary_templates_user_id_template_id_pk" PRIMARY KEY("user_id","template_id")
);
--> statement-breakpoint
ALTER TABLE "summaries" ADD COLUMN "template" jsonb;--> statement-breakpoint
ALTER TABLE "summary_requests" ADD COLUMN "template" jsonb;--> statement-breakpoint
ALTER TABLE "summary_template_defaults" ADD CONSTRAINT "summary_template_defaults_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "summary_template_defaults" ADD CONSTRAINT "summary_template_defaults_folder_fk" FOREIGN KEY ("user_id","folder_id") REFERENCES "public"."folders"("user_id","folder_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "summary_templates" ADD CONSTRAINT "summary_templates_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "summary_templates_name_key" ON "summary_templates" USING btree ("user_id","name_key");